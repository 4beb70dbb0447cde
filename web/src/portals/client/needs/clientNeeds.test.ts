import { expect, test } from 'vitest';
import type { DocumentRequest, SpvDetail, Step } from '../../../api/types';
import { stepNeeds } from './clientNeeds';

const step = (id: string, status: Step['status']) =>
  ({ id, status, owner: 'client', waiting_on: 'client', depends_on: [] }) as unknown as Step;
const request = (step_id: string, required: boolean, status: DocumentRequest['status'] = 'requested') =>
  ({ step_id, required, status }) as DocumentRequest;

test('a required open request stands for its step, unless the step is blocked', () => {
  const spv = { steps: [step('a', 'in_progress'), step('b', 'blocked')] } as SpvDetail;
  const listed = (...requests: DocumentRequest[]) => stepNeeds(spv, requests).map(({ id }) => id);
  expect(listed()).toEqual(['a', 'b']);
  expect(listed(request('a', true), request('b', true))).toEqual(['b']);
  expect(listed(request('a', true, 'needs_revision'))).toEqual(['b']);
  expect(listed(request('a', false), request('a', true, 'submitted'))).toEqual(['a', 'b']);
});
