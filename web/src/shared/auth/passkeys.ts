/** Passkeys (WebAuthn): the browser's calls, between those of the auth client. */
import type {
  AuthError,
  PasskeyMetadata,
  Session,
  VerifyPasskeyAuthenticationParams,
} from '@supabase/auth-js';
import { ApiError } from '../../api/errors';
import { auth, loadAuth } from '../../api/session';
import { useSettings } from '../settings/useSettings';
import { unwrapAuthResult } from './unwrapAuthResult';

/** The dialog of the browser was closed, or another one took its place. */
export class PasskeyCancelled extends Error {}

/** Whether passkeys work here: they are bound to the portal's origin. */
export function usePasskeys(): boolean {
  return useSettings()?.passkey_origin === location.origin && isSupported();
}

const isSupported = () =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Whether the browser offers passkeys among the suggestions of a field (conditional UI). */
export async function canSuggestPasskeys(): Promise<boolean> {
  return isSupported() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

let pending: AbortController | undefined;

/** Ends the pending call: the browser allows one at a time. */
export function cancelPasskey(): void {
  pending?.abort();
}

function begin(): AbortSignal {
  cancelPasskey();
  pending = new AbortController();
  return pending.signal;
}

async function ask(call: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await call;
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'InvalidStateError') throw failure('webauthn_credential_exists');
    if (name !== 'NotAllowedError' && name !== 'AbortError') throw failure('webauthn_verification_failed');
  }
  throw new PasskeyCancelled();
}

type Serialized = VerifyPasskeyAuthenticationParams['credential'];
/** Results of the client's second steps. Its types allow errors of the browser, too, which those do not make. */
type Result<Data> = Promise<{ data: Data; error: null } | { data: null; error: AuthError }>;

/** An error of the browser, with the text of the server's. */
const failure = (code: string) => new ApiError(400, { code, message: '', params: {}, request_id: '' });

interface SignIn {
  mediation?: CredentialMediationRequirement;
  /** Called before the session is stored; returns the undo function for a failure. */
  onChosen: () => () => void;
}

/** Signs in with a passkey that the person chooses. */
export async function signInWithPasskey({ mediation, onChosen }: SignIn): Promise<Session> {
  const signal = begin();
  const client = await loadAuth();
  const started = await unwrapAuthResult(client.passkey.startAuthentication());
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    started.options as PublicKeyCredentialRequestOptionsJSON,
  );
  if (signal.aborted) throw new PasskeyCancelled();
  const credential = await ask(navigator.credentials.get({ publicKey, mediation, signal }));
  const undo = onChosen();
  try {
    const { session } = await unwrapAuthResult(
      client.passkey.verifyAuthentication({
        challengeId: started.challenge_id,
        credential: credential.toJSON() as Serialized,
      }) as Result<{ session: Session | null }>,
    );
    if (!session) throw failure('webauthn_verification_failed');
    return session;
  } catch (error) {
    undo();
    throw error;
  }
}

/** Adds a passkey to the account. */
export async function addPasskey(): Promise<PasskeyMetadata> {
  const started = await unwrapAuthResult(auth.passkey.startRegistration());
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    started.options as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await ask(navigator.credentials.create({ publicKey, signal: begin() }));
  return unwrapAuthResult(
    auth.passkey.verifyRegistration({
      challengeId: started.challenge_id,
      credential: credential.toJSON() as Serialized,
    }) as Result<PasskeyMetadata>,
  );
}

/** Challenge of a `webauthn` factor. The server knows the relying party itself. */
function challengeFactor(factorId: string) {
  const webauthn = { rpId: location.hostname, rpOrigins: [location.origin] as [string] };
  return unwrapAuthResult(auth.mfa.challenge({ factorId, webauthn }));
}

/** Verifies any passkey of the account as second factor. */
export async function verifyPasskey(factorId: string): Promise<void> {
  const { id, webauthn } = await challengeFactor(factorId);
  if (webauthn.type !== 'request') throw failure('mfa_factor_not_found');
  const { publicKey } = webauthn.credential_options as { publicKey: PublicKeyCredentialRequestOptions };
  const credential = await ask(navigator.credentials.get({ publicKey, signal: begin() }));
  await verifyFactor(factorId, id, 'request', credential);
}

/** Adds a passkey as second factor. The session is at aal2 afterwards. */
export async function enrollPasskey(friendlyName: string): Promise<void> {
  const { id: factorId } = await unwrapAuthResult(auth.mfa.enroll({ factorType: 'webauthn', friendlyName }));
  try {
    const { id, webauthn } = await challengeFactor(factorId);
    if (webauthn.type !== 'create') throw failure('mfa_factor_not_found');
    const { publicKey } = webauthn.credential_options as { publicKey: PublicKeyCredentialCreationOptions };
    const credential = await ask(navigator.credentials.create({ publicKey, signal: begin() }));
    await verifyFactor(factorId, id, 'create', credential);
  } catch (error) {
    // Not verified; it would expire by itself.
    await auth.mfa.unenroll({ factorId });
    throw error;
  }
}

async function verifyFactor(
  factorId: string,
  challengeId: string,
  type: 'create' | 'request',
  credential: PublicKeyCredential,
): Promise<void> {
  const webauthn = { type, rpId: location.hostname, credential_response: credential };
  await unwrapAuthResult(
    auth.mfa.verify({ factorId, challengeId, webauthn } as unknown as Parameters<typeof auth.mfa.verify>[0]),
  );
}
