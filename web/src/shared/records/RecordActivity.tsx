import { Events } from '../activity/Timeline';
import classes from './RecordTabs.module.css';

/** Events of a record. */
export function RecordActivity({ id }: { id: string }) {
  return (
    <div className={classes.body}>
      <Events of={{ subject_id: id }} />
    </div>
  );
}
