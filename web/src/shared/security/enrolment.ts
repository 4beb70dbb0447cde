import { queryClient } from '../../api/cache';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { granted } from '../auth/unwrapAuthResult';

/** A second factor that waits for its first code. */
export interface Enrolment {
  id: string;
  /** What the QR code says. */
  uri: string;
  /** The same, to be typed. */
  secret: string;
}

export async function beginEnrolment(name: string): Promise<Enrolment> {
  const { user } = await granted(auth.getUser());
  const factors = user.factors ?? [];
  // Begun earlier and never finished: nobody has those codes.
  for (const left of factors.filter((factor) => factor.status === 'unverified')) {
    await granted(auth.mfa.unenroll({ factorId: left.id }));
  }
  const taken = factors.map((factor) => factor.friendly_name);
  const { id, totp } = await granted(
    auth.mfa.enroll({ factorType: 'totp', friendlyName: unused(name, taken), issuer: await brand() }),
  );
  return { id, uri: totp.uri, secret: totp.secret };
}

/** A name that no other factor has: the server refuses the same one twice. */
function unused(name: string, taken: (string | undefined)[]): string {
  let next = name;
  for (let count = 2; taken.includes(next); count += 1) next = `${name} ${count}`;
  return next;
}

/** How the app will call the entry. Without an answer the server chooses. */
async function brand(): Promise<string | undefined> {
  const settings = await queryClient.ensureQueryData(queries.settings()).catch(() => undefined);
  return settings?.brand_name;
}
