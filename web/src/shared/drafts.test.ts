import { expect, test } from 'vitest';
import { browserStore, tabStore } from '../api/browserStorage';
import { clearDrafts, draftedIds, editOf, readDraft, removeDraft, saveDraft } from './drafts';

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

test('records whose edits have drafts are those of the kind, user and tab', () => {
  saveDraft('ada', editOf('client', '1'), {}, tabStore);
  saveDraft('ada', editOf('client', '2'), {}, tabStore);
  saveDraft('ada', editOf('client_id', '3'), {}, tabStore);
  saveDraft('ada', editOf('client', '4'), {});
  saveDraft('ada', 'client quick', {}, tabStore);
  saveDraft('bob', editOf('client', '5'), {}, tabStore);
  expect(draftedIds('ada', 'client')).toEqual(['1', '2']);
  removeDraft('ada', editOf('client', '1'), tabStore);
  expect(draftedIds('ada', 'client')).toEqual(['2']);
  expect(draftedIds('ada', 'company')).toEqual([]);
});
