/** The WebAuthn part of a browser with an authenticator in software: `navigator.credentials` for the auth client. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { vi } from 'vitest';

const FLAGS = { present: 1, verified: 4, attested: 64 };

interface Passkey {
  id: Buffer;
  key: KeyObject;
  userHandle: Buffer;
  rpId: string;
  counter: number;
}

interface Response {
  [name: string]: string | string[] | undefined;
}

/** What `navigator.credentials` returns, as far as the client reads it. */
class SoftCredential {
  readonly type = 'public-key';

  constructor(
    readonly id: string,
    private readonly response: Response,
  ) {}

  getClientExtensionResults() {
    return {};
  }

  toJSON() {
    const { id, type, response } = this;
    return { id, rawId: id, type, response, clientExtensionResults: {} };
  }
}

export class SoftwareBrowser {
  readonly passkeys: Passkey[] = [];
  /** Options of the last call. */
  asked: Record<string, unknown> = {};
  /** Error of the next call, as if the person had closed the dialog. */
  fails?: DOMException;

  constructor(public origin: string) {}

  /** Makes it the browser of this test file. */
  install(): void {
    const nothing = () => undefined;
    const location = new URL(this.origin);
    const navigator = { credentials: { create: this.create, get: this.get } };
    const events = { addEventListener: nothing, removeEventListener: nothing };
    vi.stubGlobal('PublicKeyCredential', SoftCredential);
    vi.stubGlobal('navigator', navigator);
    vi.stubGlobal('document', { ...events, visibilityState: 'visible' });
    vi.stubGlobal('window', { ...events, location, navigator, PublicKeyCredential: SoftCredential });
  }

  private readonly create = async (options: CredentialCreationOptions): Promise<SoftCredential> => {
    const publicKey = this.begin(options as never);
    const { rp, user } = publicKey as never as PublicKeyCredentialCreationOptions;
    const { privateKey, publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const passkey: Passkey = {
      id: randomBytes(32),
      key: privateKey,
      userHandle: Buffer.from(user.id as ArrayBuffer),
      rpId: rp.id ?? '',
      counter: 0,
    };
    this.passkeys.push(passkey);
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    const cose = cbor(
      new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
    const length = Buffer.from([0, passkey.id.length]);
    const authData = Buffer.concat([
      authenticatorData(passkey, FLAGS.attested),
      ...[Buffer.alloc(16), length, passkey.id, cose],
    ]);
    const object = new Map<unknown, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return new SoftCredential(text(passkey.id), {
      attestationObject: text(cbor(object)),
      clientDataJSON: text(this.clientData('webauthn.create', publicKey)),
      transports: ['internal'],
    });
  };

  private readonly get = async (options: CredentialRequestOptions): Promise<SoftCredential> => {
    const publicKey = this.begin(options as never);
    const passkey = this.passkeys.at(-1);
    if (!passkey) throw new DOMException('no passkey', 'NotAllowedError');
    passkey.counter += 1;
    const data = authenticatorData(passkey, 0);
    const clientData = this.clientData('webauthn.get', publicKey);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return new SoftCredential(text(passkey.id), {
      authenticatorData: text(data),
      clientDataJSON: text(clientData),
      signature: text(sign('sha256', signed, passkey.key)),
      userHandle: text(passkey.userHandle),
    });
  };

  private begin(options: { publicKey: { challenge: ArrayBuffer } }) {
    this.asked = options as never;
    const { fails } = this;
    this.fails = undefined;
    if (fails) throw fails;
    return options.publicKey;
  }

  private clientData(type: string, { challenge }: { challenge: ArrayBuffer }): Buffer {
    const { origin } = this;
    return Buffer.from(
      JSON.stringify({ type, challenge: text(Buffer.from(challenge)), origin, crossOrigin: false }),
    );
  }
}

const text = (bytes: Buffer) => bytes.toString('base64url');

/** WebAuthn, section 6.1. */
function authenticatorData({ rpId, counter }: Passkey, more: number): Buffer {
  const rest = Buffer.alloc(5);
  rest[0] = FLAGS.present | FLAGS.verified | more;
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), rest]);
}

/** CBOR of the few types that WebAuthn needs. */
function cbor(value: unknown): Buffer {
  const head = (kind: number, size: number) =>
    size < 24
      ? Buffer.from([(kind << 5) | size])
      : size < 256
        ? Buffer.from([(kind << 5) | 24, size])
        : Buffer.from([(kind << 5) | 25, size >> 8, size & 255]);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap((entry) => entry.map(cbor))]);
  throw new Error(`no CBOR for ${String(value)}`);
}
