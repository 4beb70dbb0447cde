import { Link } from 'react-router-dom';
import { paths } from '../../paths';
import { useMe } from '../session/me';
import classes from './links.module.css';

interface Props {
  id: string | null;
  name: string | null;
}

/** Name of a client that leads to the record. Staff only, like the next ones. */
export function ClientLink({ id, name }: Props) {
  return <RecordLink to={id && paths.employeeClient(id)} name={name} />;
}

export function CompanyLink({ id, name }: Props) {
  return <RecordLink to={id && paths.employeeCompany(id)} name={name} />;
}

export function IsoLink({ id, name }: Props) {
  return <RecordLink to={id && paths.employeeIso(id)} name={name} />;
}

/** Name of a user that leads to the account for super admins; for others the name. */
export function UserLink({ id, name }: Props) {
  const mayOpen = useMe().role === 'super_admin';
  return <RecordLink to={mayOpen && id ? paths.adminUser(id) : null} name={name} />;
}

/** Address that opens the mail program. */
export function EmailLink({ email }: { email: string | null }) {
  if (!email) return null;
  return (
    <a href={`mailto:${email}`} className={classes.link}>
      {email}
    </a>
  );
}

/** Name in the text colour, underlined: many of them stand in one list. */
export function RecordLink({ to, name }: { to: string | null; name: string | null }) {
  if (!name) return '—';
  if (!to) return name;
  return (
    <Link to={to} className={classes.link}>
      {name}
    </Link>
  );
}
