import { expect, test } from 'vitest';
import { browserStore, tabStore } from '../api/browserStorage';
import { clearDrafts, readDraft, saveDraft } from './drafts';

test('a draft belongs to its user and name', () => {
  saveDraft('ada', 'support', { body: 'Hello' });
  expect(readDraft('ada', 'support')).toEqual({ body: 'Hello' });
  expect(readDraft('bob', 'support')).toBeUndefined();
  expect(readDraft('ada', 'order')).toBeUndefined();
});

test('a broken draft is none', () => {
  browserStore.setItem('spv-draft:ada:order', '{');
  expect(readDraft('ada', 'order')).toBeUndefined();
});

test('sign-in removes the drafts of other users, in browser and tab', () => {
  for (const store of [browserStore, tabStore])
    for (const user of ['ada', 'bob']) saveDraft(user, 'support', { body: user }, store);
  clearDrafts('ada');
  for (const store of [browserStore, tabStore]) {
    expect(readDraft('ada', 'support', store)).toEqual({ body: 'ada' });
    expect(readDraft('bob', 'support', store)).toBeUndefined();
  }
});

test('sign-out removes drafts and nothing else', () => {
  saveDraft('ada', 'support', { body: 'Hello' });
  saveDraft('ada', 'client', { name: 'Bo' }, tabStore);
  browserStore.setItem('spv-other', '1');
  clearDrafts();
  expect(readDraft('ada', 'support')).toBeUndefined();
  expect(readDraft('ada', 'client', tabStore)).toBeUndefined();
  expect(browserStore.getItem('spv-other')).toBe('1');
});
