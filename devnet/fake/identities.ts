import { createHash } from 'node:crypto';
import { pointFromScalar } from 'tiny-secp256k1';
import type { NodeName } from '../../src/lightning/test-network.ts';

/** The keys of a fake network, all of them out of its seed: whoever knows the seed knows every secret. */
export interface Identities {
  readonly pubkeys: Readonly<Record<NodeName, string>>;
  /** A valid public key that no node has. */
  readonly unreachablePubkey: string;
  /** In hex. */
  privateKey(name: NodeName): string;
  /** 32 bytes in hex that no other `what` gives. */
  secret(what: string): string;
}

export function identitiesOf(seed: string): Identities {
  const secret = (what: string): string => sha256Hex(`satchel fake node|${seed}|${what}`);
  const privateKey = (name: string): string => secret(`key of ${name}`);
  const pubkey = (name: string): string => Buffer.from(pointFromScalar(Buffer.from(privateKey(name), 'hex')) ?? []).toString('hex');
  return {
    pubkeys: { hub: pubkey('hub'), alice: pubkey('alice'), carol: pubkey('carol') },
    unreachablePubkey: pubkey('nobody'),
    privateKey,
    secret,
  };
}

/** SHA-256 of UTF-8 text or of bytes, in hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The payment hash of a preimage; both in hex. */
export function hashOf(preimage: string): string {
  return sha256Hex(Buffer.from(preimage, 'hex'));
}
