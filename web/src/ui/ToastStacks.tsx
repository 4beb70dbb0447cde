import { Notifications } from '@mantine/notifications';
import { MAX_VISIBLE, noticeStore, outcomeStore } from './toasts';

export function ToastStacks() {
  return (
    <>
      <Notifications
        store={outcomeStore}
        withinPortal={false}
        {...MAX_VISIBLE.outcomes}
        position="top-right"
      />
      <Notifications store={noticeStore} withinPortal={false} {...MAX_VISIBLE.notices} position="top-right" />
    </>
  );
}
