import { queryClient } from '../../api/cache';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';

/** A second factor that waits for its first code. */
export interface Enrolment {
  id: string;
  /** What the QR code says. */
  uri: string;
  /** The same, to be typed. */
  secret: string;
}

export async function beginEnrolment(name: string): Promise<Enrolment> {
  const { user } = await unwrapAuthResult(auth.getUser());
  const factors = user.factors ?? [];
  // Begun earlier and never finished: nobody has those codes.
  for (const left of factors.filter((factor) => factor.status === 'unverified')) {
    await unwrapAuthResult(auth.mfa.unenroll({ factorId: left.id }));
  }
  const taken = factors.map((factor) => factor.friendly_name);
  const { id, totp } = await unwrapAuthResult(
    auth.mfa.enroll({ factorType: 'totp', friendlyName: uniqueFactorName(name, taken), issuer: await issuerName() }),
  );
  return { id, uri: totp.uri, secret: totp.secret };
}

/** A name that no other factor has: the server refuses the same one twice. */
function uniqueFactorName(name: string, taken: (string | undefined)[]): string {
  let next = name;
  for (let count = 2; taken.includes(next); count += 1) next = `${name} ${count}`;
  return next;
}

/** How the app will call the entry. Without an answer the server chooses. */
async function issuerName(): Promise<string | undefined> {
  const settings = await queryClient.ensureQueryData(queries.settings()).catch(() => undefined);
  return settings?.brand_name;
}
