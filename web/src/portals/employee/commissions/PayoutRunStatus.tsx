import { Text } from '@mantine/core';
import type { PayoutRun } from '../../../api/types';
import { useWaiting, useWaitingTitle } from '../../../shared/approvals/waiting';
import { StatusBadge } from '../../../ui/StatusBadge';

/** Status of a payout run, and whose approval its payment waits for. */
export function PayoutRunStatus({ run }: { run: PayoutRun }) {
  const title = useWaitingTitle(useWaiting('pay_run', run.id));
  return (
    <>
      <StatusBadge kind="payout_run" status={run.status} />
      {run.awaits_approval && (
        <Text component="div" size="xs" c="dimmed">
          {title}
        </Text>
      )}
    </>
  );
}
