import { notifications } from '@mantine/notifications';
import { beforeEach, expect, test } from 'vitest';
import { notice, noticeStore, MAX_VISIBLE } from './toasts';

beforeEach(() => {
  notifications.clean(noticeStore);
  // Same limit as the visible region.
  noticeStore.setState({ ...noticeStore.getState(), limit: MAX_VISIBLE.notices.limit });
});

const seen = () => noticeStore.getState().notifications;
const titles = () => seen().map(({ title }) => title);

test('three notices are visible, and the fourth follows when one closes', () => {
  for (const title of ['one', 'two', 'three', 'four']) notice({ title });
  expect(titles()).toEqual(['one', 'two', 'three']);
  notifications.hide(seen()[1]?.id ?? '', noticeStore);
  expect(titles()).toEqual(['one', 'three', 'four']);
});

test('notices close after four seconds by default', () => {
  notice({ title: 'Backup completed', description: 'Everything is in it.' });
  expect(MAX_VISIBLE.notices).toEqual({ limit: 3, autoClose: 4000 });
  expect(seen()).toMatchObject([{ message: 'Everything is in it.', role: 'status' }]);
  expect(seen()[0]?.autoClose).toBeUndefined();
});
