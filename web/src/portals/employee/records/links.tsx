import { Anchor } from '@mantine/core';
import { Link } from 'react-router-dom';
import { paths } from '../../../paths';

interface Name {
  id: string;
  first_name: string;
  last_name: string;
}

/** Name of a client that leads to the record. */
export function ClientLink({ client }: { client: Name }) {
  return (
    <Anchor component={Link} to={paths.employeeClient(client.id)} fz="inherit">
      {client.first_name} {client.last_name}
    </Anchor>
  );
}

/** Name of an ISO partner that leads to the record. */
export function IsoLink({ id, name }: { id: string | null; name: string | null }) {
  if (!id || !name) return '—';
  return (
    <Anchor component={Link} to={paths.employeeIso(id)} fz="inherit">
      {name}
    </Anchor>
  );
}

/** Name of a company that leads to the record. */
export function CompanyLink({ id, name }: { id: string | null; name: string | null }) {
  if (!id || !name) return '—';
  return (
    <Anchor component={Link} to={paths.employeeCompany(id)} fz="inherit">
      {name}
    </Anchor>
  );
}
