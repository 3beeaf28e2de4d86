import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { isIP } from 'node:net';
import { decode, decodeFirst } from 'cborg';
import { Refusal } from '../../core/kernel/refusal.ts';

/** The service, as passkeys know it. */
export interface RelyingParty {
  /** The domain to which passkeys belong. */
  readonly id: string;
  /** The only origin whose pages may use them. */
  readonly origin: string;
}

/** A new passkey, as a browser has created it. */
export interface NewCredential {
  /** In base64url. */
  readonly credentialId: string;
  /** In the form of COSE. */
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** The credential of a browser is malformed or not accepted. The message has the reason, with `it` as the subject. */
export class InvalidCredential extends Error {
  override readonly name = 'InvalidCredential';
}

/** What a login with a passkey must contain. */
export interface ExpectedAssertion {
  readonly challenge: string;
  /** In the form of COSE. */
  readonly publicKey: Uint8Array;
  /** The id of the account in base64url. */
  readonly userHandle: string;
}

/** COSE algorithms: ES256, which all authenticators support, except some of Windows Hello, which support RS256. */
export const ALGORITHMS = [-7, -257] as const;

/** Bits of the authenticator data: a person was present, was verified; the key may be copied, is copied; parts that follow. */
const FLAG = { present: 0x01, verified: 0x04, copyable: 0x08, copied: 0x10, credential: 0x40, extensions: 0x80 } as const;
/** The hash of the domain, the flags and the counter. */
const HEAD_BYTES = 37;
const AAGUID_BYTES = 16;
const MAX_CREDENTIAL_ID = 1023;
const MAX_TEXT = 20_000;
const TRANSPORT = /^[a-z-]{1,20}$/;
/** The canonical CBOR of authenticators (CTAP2) has none of what is rejected here. Keys of maps may be numbers. */
const CBOR = { allowIndefinite: false, allowUndefined: false, allowBigInt: false, rejectDuplicateMapKeys: true, useMaps: true } as const;

/** @throws Refusal `passkeys_unavailable` if browsers allow no passkeys at a public URL: without https, or with an IP address. */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname: id, origin, protocol } = new URL(publicUrl);
  const isSecure = protocol === 'https:' || id === 'localhost' || id.endsWith('.localhost');
  if (!isSecure || isIP(id) !== 0 || id.startsWith('[')) throw new Refusal('passkeys_unavailable');
  return { id, origin };
}

/** Returns the challenge that a browser has signed, in base64url. @throws InvalidCredential */
export function challengeOf(credential: unknown): string {
  return strictly(() => textIn(clientDataOf(partOf(credential, 'response')).data, 'challenge'));
}

/** Returns the id of a credential. @throws InvalidCredential */
export function credentialIdOf(credential: unknown): string {
  const id = textIn(credential, 'id');
  if (bytesOf(id).length > MAX_CREDENTIAL_ID || textIn(credential, 'type') !== 'public-key')
    throw new InvalidCredential('it is no passkey');
  return id;
}

/**
 * Reads a new passkey (WebAuthn Level 3, section 7.1). The attestation is ignored: the service trusts every authenticator.
 * @throws InvalidCredential
 */
export function readRegistration(party: RelyingParty, credential: unknown, challenge: string): NewCredential {
  return strictly(() => {
    const response = partOf(credential, 'response');
    checkClientData(clientDataOf(response).data, { type: 'webauthn.create', challenge, origin: party.origin });
    const attestation: unknown = decode(bytesOf(textIn(response, 'attestationObject')), CBOR);
    const data: unknown = attestation instanceof Map ? attestation.get('authData') : undefined;
    if (!(data instanceof Uint8Array)) throw new InvalidCredential('it has no authenticator data');
    const { flags, counter } = readHead(party, data);
    if (!(flags & FLAG.credential)) throw new InvalidCredential('it has no public key');
    const idStart = HEAD_BYTES + AAGUID_BYTES + 2;
    const keyStart = idStart + Buffer.from(data).readUInt16BE(idStart - 2);
    const credentialId = Buffer.from(data.subarray(idStart, keyStart)).toString('base64url');
    if (credentialId === '' || credentialId !== credentialIdOf(credential)) throw new InvalidCredential('it has two ids');
    const rest = decodeFirst(data.subarray(keyStart), CBOR)[1];
    if (rest.length > 0 && !(flags & FLAG.extensions)) throw new InvalidCredential('it has data after its public key');
    const publicKey = data.slice(keyStart, data.length - rest.length);
    keyOf(publicKey);
    return { credentialId, publicKey, counter, transports: transportsOf(response) };
  });
}

/**
 * Verifies a login with a passkey (section 7.2), whose authenticator has verified the person.
 * @returns the counter of signatures. @throws InvalidCredential
 */
export function verifyAssertion(party: RelyingParty, credential: unknown, expected: ExpectedAssertion): number {
  return strictly(() => {
    const response = partOf(credential, 'response');
    const { data, bytes } = clientDataOf(response);
    checkClientData(data, { type: 'webauthn.get', challenge: expected.challenge, origin: party.origin });
    const authenticatorData = bytesOf(textIn(response, 'authenticatorData'));
    const { flags, counter } = readHead(party, authenticatorData);
    if (authenticatorData.length > HEAD_BYTES && !(flags & FLAG.extensions)) throw new InvalidCredential('it has data after its counter');
    const userHandle = valueIn(response, 'userHandle') ?? null;
    if (userHandle !== null && userHandle !== expected.userHandle) throw new InvalidCredential('it belongs to another account');
    const signed = Buffer.concat([authenticatorData, hash('sha256', bytes, 'buffer')]);
    if (!verify('sha256', signed, keyOf(expected.publicKey), bytesOf(textIn(response, 'signature'))))
      throw new InvalidCredential('its signature is invalid');
    return counter;
  });
}

/** Runs work on untrusted input. JSON, CBOR and keys that cannot be parsed are an {@link InvalidCredential}, too. */
function strictly<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof InvalidCredential ? error : new InvalidCredential('it is malformed');
  }
}

function readHead(party: RelyingParty, data: Uint8Array): { flags: number; counter: number } {
  if (data.length < HEAD_BYTES) throw new InvalidCredential('its authenticator data is too short');
  const bytes = Buffer.from(data);
  if (!bytes.subarray(0, 32).equals(hash('sha256', party.id, 'buffer'))) throw new InvalidCredential(`it does not belong to ${party.id}`);
  const flags = bytes.readUInt8(32);
  if (!(flags & FLAG.present) || !(flags & FLAG.verified)) throw new InvalidCredential('the device has not verified the person');
  if (flags & FLAG.copied && !(flags & FLAG.copyable)) throw new InvalidCredential('its flags contradict each other');
  return { flags, counter: bytes.readUInt32BE(33) };
}

function checkClientData(data: unknown, expected: Record<'type' | 'challenge' | 'origin', string>): void {
  for (const name of ['type', 'challenge', 'origin'] as const)
    if (textIn(data, name) !== expected[name]) throw new InvalidCredential(`its ${name} is not ${expected[name]}`);
  if (valueIn(data, 'crossOrigin') === true) throw new InvalidCredential('it was used in a frame of another site');
}

function clientDataOf(response: unknown): { data: unknown; bytes: Uint8Array } {
  const bytes = bytesOf(textIn(response, 'clientDataJSON'));
  return { data: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), bytes };
}

function keyOf(cose: Uint8Array): KeyObject {
  const value: unknown = decode(cose, CBOR);
  if (!(value instanceof Map)) throw new InvalidCredential('its public key is malformed');
  const [kty, algorithm] = [value.get(1), value.get(3)];
  const part = (label: number, lengths: readonly [number, number]) => coordinate(value.get(label), lengths);
  if (kty === 2 && algorithm === -7 && value.get(-1) === 1)
    return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: part(-2, [32, 32]), y: part(-3, [32, 32]) } });
  // 2048 to 4096 bits.
  if (kty === 3 && algorithm === -257)
    return createPublicKey({ format: 'jwk', key: { kty: 'RSA', n: part(-1, [256, 512]), e: part(-2, [3, 3]) } });
  throw new InvalidCredential('its public key is of no supported kind');
}

function coordinate(value: unknown, [least, most]: readonly [number, number]): string {
  if (!(value instanceof Uint8Array) || value.length < least || value.length > most)
    throw new InvalidCredential('its public key is malformed');
  return Buffer.from(value).toString('base64url');
}

/** Browsers get them back as hints, so unknown ones are kept and malformed ones left out. */
function transportsOf(response: unknown): string[] {
  const transports = valueIn(response, 'transports');
  return Array.isArray(transports) ? transports.filter((one) => typeof one === 'string' && TRANSPORT.test(one)).slice(0, 10) : [];
}

function valueIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function partOf(value: unknown, name: string): object {
  const part = valueIn(value, name);
  if (typeof part !== 'object' || part === null) throw new InvalidCredential(`it has no ${name}`);
  return part;
}

function textIn(value: unknown, name: string): string {
  const text = valueIn(value, name);
  if (typeof text !== 'string' || text === '' || text.length > MAX_TEXT) throw new InvalidCredential(`it has no ${name}`);
  return text;
}

function bytesOf(text: string): Buffer {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new InvalidCredential('a part of it is not in base64url');
  return Buffer.from(text, 'base64url');
}
