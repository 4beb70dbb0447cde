import { Skeleton } from '@mantine/core';
import type { Company } from '../../api/types';
import classes from './CompanyLogo.module.css';

/** Company logo and name in the sidebar; undefined while loading. */
export function CompanyLogo({ company }: { company: Company | undefined }) {
  if (!company)
    return (
      <div className={classes.mark} aria-hidden="true">
        <Skeleton className={classes.waiting} width={32} height={32} />
        <Skeleton height={12} width="60%" />
      </div>
    );
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
