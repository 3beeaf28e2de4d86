import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  credentialIdOf,
  InvalidCredential,
  type NewCredential,
  readRegistration,
  verifyAssertion,
} from '../../src/features/logins/webauthn.ts';

/*
 * Credentials of the test vectors of Web Authentication Level 3 (section 16), which this project did not create. The specification derives
 * challenges and credential ids from a name and a number.
 */

interface Assertion {
  readonly challengeSalt: number;
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
}

interface Vector {
  readonly name: string;
  readonly info: string;
  readonly registration: {
    readonly challengeSalt: number;
    readonly credentialIdSalt: number;
    readonly clientDataJSON: string;
    readonly attestationObject: string;
  };
  readonly authentication: Assertion;
}

const { credentials, longCredentialId: long } = JSON.parse(readFileSync(new URL('webauthn-vectors.json', import.meta.url), 'utf8'));

const PARTY = { id: 'example.org', origin: 'https://example.org' };
const NOT_VERIFIED = 'the device has not verified the person';
const IN_FRAME = 'it was used in a frame of another site';

function derived(info: string, salt: number, bytes = 32): string {
  return Buffer.from(hkdfSync('sha256', 'WebAuthn test vectors', Buffer.of(salt), info, bytes)).toString('base64url');
}

function fromHex(text: string): string {
  return Buffer.from(text, 'hex').toString('base64url');
}

function vector(section: string): Vector {
  return credentials.find(({ name }: Vector) => name.startsWith(`${section} `));
}

function register({ info, registration }: Vector, party = PARTY): NewCredential {
  const id = derived(info, registration.credentialIdSalt);
  const response = { clientDataJSON: fromHex(registration.clientDataJSON), attestationObject: fromHex(registration.attestationObject) };
  return readRegistration(party, { id, type: 'public-key', response }, derived(info, registration.challengeSalt));
}

/** Verifies an assertion. `changes` are other parts of the response, in hex. */
function logIn(info: string, authentication: Assertion, publicKey: Uint8Array, changes: Partial<Assertion> = {}): number {
  const { challengeSalt, clientDataJSON, authenticatorData, signature } = { ...authentication, ...changes };
  const response = {
    clientDataJSON: fromHex(clientDataJSON),
    authenticatorData: fromHex(authenticatorData),
    signature: fromHex(signature),
    userHandle: null,
  };
  const credential = { id: 'id', type: 'public-key', response };
  return verifyAssertion(PARTY, credential, { challenge: derived(info, challengeSalt), publicKey, userHandle: 'me' });
}

it.each([
  ['16.3', 'with self attestation'],
  ['16.7', 'with packed attestation'],
  ['16.10', 'with RS256 and a modulus of 3482 bits'],
])('reads the passkey of WebAuthn section %s, %s', (section) => {
  const { info, registration } = vector(section);
  const read = register(vector(section));
  expect(read).toMatchObject({ credentialId: derived(info, registration.credentialIdSalt), counter: 0, transports: [] });
  expect(registration.attestationObject).toContain(Buffer.from(read.publicKey).toString('hex'));
});

it.each([
  ['16.2', 'whose device did not verify the person', NOT_VERIFIED],
  ['16.4', 'that was created in a frame of another site', IN_FRAME],
])('rejects the passkey of WebAuthn section %s, %s', (section, _, reason) => {
  expect(() => register(vector(section))).toThrow(reason);
});

it('verifies the login of WebAuthn section 16.7 with the key of its registration', () => {
  const { info, authentication } = vector('16.7');
  expect(logIn(info, authentication, register(vector('16.7')).publicKey)).toBe(0);
});

it('verifies the login of WebAuthn section 16.6, whose credential id has the maximum of 1023 bytes', () => {
  const id = derived(long.info, long.credentialIdSalt, 1023);
  expect(credentialIdOf({ id, type: 'public-key' })).toBe(id);
  expect(() => credentialIdOf({ id: derived(long.info, long.credentialIdSalt, 1024), type: 'public-key' })).toThrow('it is no passkey');
  expect(logIn(long.info, long.authentication, Buffer.from(long.publicKey, 'hex'))).toBe(0);
});

it.each([
  ['16.3', NOT_VERIFIED],
  ['16.10', NOT_VERIFIED],
])('rejects the login of WebAuthn section %s, whose device did not verify the person', (section, reason) => {
  const { info, authentication } = vector(section);
  expect(() => logIn(info, authentication, register(vector(section)).publicKey)).toThrow(reason);
});

it('rejects the login of WebAuthn section 16.4, which was made in a frame of another site', () => {
  const { info, authentication } = vector('16.4');
  expect(() => logIn(info, authentication, Buffer.from(long.publicKey, 'hex'))).toThrow(IN_FRAME);
});

it('rejects the login of WebAuthn section 16.7 after a change of any byte that is signed, or of the signature', () => {
  const { info, authentication } = vector('16.7');
  const { publicKey } = register(vector('16.7'));
  const changed = (hex: string, at: number) => {
    const bytes = Buffer.from(hex, 'hex');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes.toString('hex');
  };
  for (const part of ['authenticatorData', 'clientDataJSON', 'signature'] as const) {
    const hex = authentication[part];
    for (let at = 0; at < hex.length / 2; at++)
      expect(() => logIn(info, authentication, publicKey, { [part]: changed(hex, at) }), `${part} ${at}`).toThrow(InvalidCredential);
  }
});

it('rejects a passkey and a login of WebAuthn section 16.7 at another service', () => {
  const { info, registration, authentication } = vector('16.7');
  expect(() => register(vector('16.7'), { id: 'example.com', origin: 'https://example.org' })).toThrow('it does not belong to example.com');
  expect(() => register(vector('16.7'), { id: 'example.org', origin: 'https://example.com' })).toThrow('its origin is not');
  expect(() => register({ ...vector('16.7'), registration: { ...registration, challengeSalt: 9 } })).toThrow('its challenge is not');
  const other = { ...authentication, challengeSalt: 0 };
  expect(() => logIn(info, other, register(vector('16.7')).publicKey)).toThrow('its challenge is not');
});

it('rejects the login of one credential of WebAuthn section 16 with the key of another', () => {
  const { info, authentication } = vector('16.7');
  for (const section of ['16.3', '16.10'])
    expect(() => logIn(info, authentication, register(vector(section)).publicKey)).toThrow('its signature is invalid');
});
