import type { Company } from '../../api/types';
import classes from './CompanyMark.module.css';

/** Whose portal it is, at the head of the sidebar. */
export function CompanyMark({ company }: { company: Company }) {
  return (
    <div className={classes.mark}>
      {company.logo ? (
        <img className={classes.logo} src={company.logo} alt="" />
      ) : (
        <span className={classes.initial} aria-hidden="true">
          {company.name.slice(0, 1).toUpperCase()}
        </span>
      )}
      <span className={classes.name}>{company.name}</span>
    </div>
  );
}
