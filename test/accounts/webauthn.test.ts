import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidCredential, readRegistration } from '../../src/features/logins/webauthn.ts';
import type { Json } from '../support/client.ts';
import { Authenticator, cbor } from './authenticator.ts';

const PARTY = { id: 'wallets.example.com', origin: 'https://wallets.example.com' };
const CHALLENGE = randomBytes(32).toString('base64url');

const credential: Json = new Authenticator(PARTY.origin).create({ rp: { id: PARTY.id }, user: { id: 'id' }, challenge: CHALLENGE });
const attestation = Buffer.from(credential.response.attestationObject, 'base64url');

function read(attestationObject: Uint8Array) {
  const response = { ...credential.response, attestationObject: Buffer.from(attestationObject).toString('base64url') };
  return readRegistration(PARTY, { ...credential, response }, CHALLENGE);
}

/** Returns an attestation whose public key has this third entry. `hex` is a key and its value in CBOR. */
function withEntryInKey(hex: string): Uint8Array {
  const options = { rp: { id: PARTY.id }, user: { id: 'id' }, challenge: CHALLENGE };
  const publicKey = Buffer.concat([Buffer.of(0xa3), Buffer.from(`01020326${hex}`, 'hex')]);
  const made = new Authenticator(PARTY.origin).create(options, { publicKey, credentialId: Buffer.from(credential.id, 'base64url') });
  return Buffer.from(made.response.attestationObject, 'base64url');
}

describe('the attestation of a new passkey', () => {
  it('is read', () => {
    expect(read(attestation)).toMatchObject({ credentialId: credential.id, counter: 0, transports: ['internal', 'hybrid'] });
  });

  it('is rejected if it ends too early or continues', () => {
    for (let length = 1; length < attestation.length; length += 1)
      expect(() => read(attestation.subarray(0, length))).toThrow(InvalidCredential);
    expect(() => read(Buffer.concat([attestation, Buffer.of(0)]))).toThrow(InvalidCredential);
  });

  it('with random bytes throws no other error than InvalidCredential', () => {
    const bytes = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 60 }), changedBytes());
    fc.assert(
      fc.property(bytes, (changed) => {
        try {
          read(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidCredential);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['an indefinite length', '205f4101ff'],
    ['a tag', '20c001'],
    ['an undefined value', '20f7'],
    ['a number above 2^53', '201bffffffffffffffff'],
    ['a key twice', '0102'],
    ['a list of four billion values', '209affffffff'],
    ['a text of 4 GB', '207affffffff'],
    ['thousands of lists in lists', `20${'81'.repeat(9000)}00`],
  ])('is rejected if the public key has %s', (_, hex) => {
    expect(() => read(withEntryInKey(hex))).toThrow(new InvalidCredential('it is malformed'));
  });

  it('is rejected if it is a value other than a map', () => {
    for (const value of [1, 'text', null, true, [1], randomBytes(300)])
      expect(() => read(cbor(value))).toThrow(new InvalidCredential('it has no authenticator data'));
  });
});

function changedBytes(): fc.Arbitrary<Uint8Array> {
  const change = fc.record({ at: fc.nat(attestation.length - 1), byte: fc.nat(255) });
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const bytes = Buffer.from(attestation);
    for (const { at, byte } of changes) bytes[at] = byte;
    return bytes;
  });
}
