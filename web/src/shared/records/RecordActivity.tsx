import { queries } from '../../api/queries';
import { Events } from '../activity/Timeline';
import classes from './RecordTabs.module.css';

/** Events of a record. */
export function RecordActivity({ id }: { id: string }) {
  return <RecordEvents from={queries.activity({ subject_id: id, limit: 10 })} />;
}

/** Events in a tab of a record. */
export function RecordEvents({ from }: { from: ReturnType<typeof queries.activity> }) {
  return (
    <div className={classes.body}>
      <Events from={from} />
    </div>
  );
}
