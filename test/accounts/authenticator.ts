import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Json } from '../support/client.ts';

type CborInput = number | string | Uint8Array | boolean | null | readonly CborInput[] | ReadonlyMap<number | string, CborInput>;

/** Encodes a value in CBOR, in its shortest form. */
export function cbor(value: CborInput): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.of(value === null ? 0xf6 : value ? 0xf5 : 0xf4);
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of((major << 5) | argument);
  if (argument < 2 ** 8) return Buffer.of((major << 5) | 24, argument);
  const bytes = Buffer.alloc(argument < 2 ** 16 ? 3 : 5);
  bytes[0] = (major << 5) | (bytes.length === 3 ? 25 : 26);
  bytes.writeUIntBE(argument, 1, bytes.length - 1);
  return bytes;
}

/** What a test changes in the data that an authenticator signs. */
export interface Changes {
  readonly origin?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly rpId?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly credentialId?: Buffer;
  /** In the form of COSE. */
  readonly publicKey?: Buffer;
  readonly extra?: Buffer;
}

const [PRESENT_AND_VERIFIED, HAS_CREDENTIAL] = [0x05, 0x40];

/** A software authenticator with one passkey, and the browser in front of it. */
export class Authenticator {
  readonly credentialId = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #cose: Buffer;
  readonly #origin: string;
  readonly #counts: boolean;
  counter = 0;
  #userHandle = '';

  constructor(origin: string, { algorithm = 'ES256', counts = true }: { algorithm?: 'ES256' | 'RS256'; counts?: boolean } = {}) {
    this.#origin = origin;
    this.#counts = counts;
    const pair =
      algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#privateKey = pair.privateKey;
    this.#cose = coseOf(pair.publicKey);
  }

  /** Returns the PublicKeyCredential of navigator.credentials.create. */
  create(options: Json, changes: Changes = {}): Json {
    this.#userHandle = options.user.id;
    const id = changes.credentialId ?? this.credentialId;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, changes.publicKey ?? this.#cose]);
    const authData = this.#authenticatorData(options.rp.id, { flags: PRESENT_AND_VERIFIED | HAS_CREDENTIAL, ...changes }, attested);
    const attestation = new Map<string, CborInput>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, changes).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  /** Returns the PublicKeyCredential of navigator.credentials.get. */
  get(options: Json, changes: Changes = {}): Json {
    if (this.#counts) this.counter += 1;
    const clientData = this.#clientData('webauthn.get', options.challenge, changes);
    const authData = this.#authenticatorData(options.rpId, changes);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
      userHandle: changes.userHandle === undefined ? this.#userHandle : changes.userHandle,
    });
  }

  #credential(response: object): Json {
    const id = this.credentialId.toString('base64url');
    return { id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string, changes: Changes): Buffer {
    const { origin = this.#origin, crossOrigin = false } = changes;
    return Buffer.from(JSON.stringify({ type: changes.type ?? type, challenge: changes.challenge ?? challenge, origin, crossOrigin }));
  }

  #authenticatorData(rpId: string, changes: Changes, attested: Buffer = Buffer.alloc(0)): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(changes.flags ?? PRESENT_AND_VERIFIED);
    rest.writeUInt32BE(changes.counter ?? this.counter, 1);
    const hash = createHash('sha256')
      .update(changes.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, rest, attested, changes.extra ?? Buffer.alloc(0)]);
  }
}

function coseOf(key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  const part = (text = '') => Buffer.from(text, 'base64url');
  const parts: [number, CborInput][] =
    jwk.kty === 'EC'
      ? [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, part(jwk.x)],
          [-3, part(jwk.y)],
        ]
      : [
          [1, 3],
          [3, -257],
          [-1, part(jwk.n)],
          [-2, part(jwk.e)],
        ];
  return cbor(new Map(parts));
}
