import { queryClient } from '../../api/cache';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';

/** Pending TOTP enrolment. */
export interface Enrolment {
  id: string;
  /** QR code content (otpauth URI). */
  uri: string;
  /** Key to type. */
  secret: string;
}

export async function beginEnrolment(name: string): Promise<Enrolment> {
  const friendlyName = await freeFactorName(name);
  const { id, totp } = await unwrapAuthResult(
    auth.mfa.enroll({
      factorType: 'totp',
      friendlyName,
      issuer: await issuerName(),
    }),
  );
  return { id, uri: totp.uri, secret: totp.secret };
}

/** A unique factor name, because the server rejects duplicates. Removes unfinished enrolments. */
export async function freeFactorName(name: string): Promise<string> {
  const { user } = await unwrapAuthResult(auth.getUser());
  const factors = user.factors ?? [];
  for (const left of factors.filter((factor) => factor.status === 'unverified')) {
    await unwrapAuthResult(auth.mfa.unenroll({ factorId: left.id }));
  }
  const passkeys = await unwrapAuthResult(auth.passkey.list());
  const taken = [...factors, ...passkeys].map((factor) => factor.friendly_name);
  let next = name;
  for (let count = 2; taken.includes(next); count += 1) next = `${name} ${count}`;
  return next;
}

/** Issuer shown by the app; the server default applies on error. */
async function issuerName(): Promise<string | undefined> {
  const settings = await queryClient.ensureQueryData(queries.settings()).catch(() => undefined);
  return settings?.brand_name;
}
