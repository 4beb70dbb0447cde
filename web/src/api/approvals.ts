import { body } from './client';
import { ApiError } from './errors';
import type { Approval } from './types';

/** The result of an act; null where it waits for a second super admin (202). */
export async function actBody<Body extends object>(
  call: Parameters<typeof body<Body | Approval>>[0],
): Promise<Body | null> {
  const found = await body<Body | Approval>(call);
  return isApproval(found) ? null : found;
}

/** The body of a change that never waits, of a route that may answer 202 for others. */
export async function doneBody<Body extends object>(
  call: Parameters<typeof body<Body | Approval>>[0],
): Promise<Body> {
  const done = await actBody<Body>(call);
  if (!done) throw new ApiError(202, null, null);
  return done;
}

function isApproval(found: object): found is Approval {
  return 'requested_by' in found && 'act' in found;
}
