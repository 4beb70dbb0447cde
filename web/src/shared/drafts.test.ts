import { expect, test } from 'vitest';
import { browserStore } from '../api/browserStorage';
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

test('sign-out removes drafts and nothing else', () => {
  saveDraft('ada', 'support', { body: 'Hello' });
  browserStore.setItem('spv-other', '1');
  clearDrafts();
  expect(readDraft('ada', 'support')).toBeUndefined();
  expect(browserStore.getItem('spv-other')).toBe('1');
});
