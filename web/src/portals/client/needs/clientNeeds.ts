import type { DocumentRequest, Invoice, SpvDetail, Step, Thread } from '../../../api/types';
import { waitingOn } from '../../../shared/spvs/dueDates';
import { nextStep } from '../../../shared/spvs/nextStep';
import { orderName } from '../../../shared/spvs/orderName';

/** Something that the client has to do. */
export type Need =
  | { kind: 'document'; id: string; due: string | null; request: DocumentRequest; order: string }
  | { kind: 'invoice'; id: string; due: string | null; invoice: Invoice; order: string }
  | { kind: 'step'; id: string; due: string | null; step: Step; order: string }
  | { kind: 'message'; id: string; due: null; thread: Thread; order: string | null };

const waits = ({ status }: DocumentRequest) => status === 'requested' || status === 'needs_revision';

export function documentNeeds(spv: SpvDetail, requests: DocumentRequest[]): Need[] {
  return requests
    .filter((request) => waits(request) && request.can.includes('upload'))
    .map((request) => ({
      kind: 'document',
      id: request.id,
      due: request.due_date,
      request,
      order: orderName(spv),
    }));
}

/** A step that waits for the client. */
export type StepNeed = Extract<Need, { kind: 'step' }>;

/**
 * Steps that wait for the client. A required open request stands for its step, unless the step is blocked: only the
 * step shows the reason.
 */
export function stepNeeds(spv: SpvDetail, requests: DocumentRequest[]): StepNeed[] {
  const next = nextStep(spv)?.id;
  const hasRequest = (step: Step) =>
    requests.some((request) => request.step_id === step.id && request.required && waits(request));
  return spv.steps
    .filter((step) => step.status !== 'completed' && waitingOn(step) === 'client')
    .filter((step) => step.id === next || step.status !== 'pending')
    .filter((step) => step.status === 'blocked' || !hasRequest(step))
    .map((step) => ({ kind: 'step', id: step.id, due: step.due_date, step, order: orderName(spv) }));
}
