import { createHash } from 'node:crypto';
import { pointFromScalar } from 'tiny-secp256k1';
import type { NodeName } from '../test-network.ts';

/** The keys and secrets of a fake network, all derived from its seed. They are not secret from anyone with the seed. */
export interface Identities {
  readonly pubkeys: Readonly<Record<NodeName, string>>;
  /** A valid public key that belongs to no node. */
  readonly unreachablePubkey: string;
  /** Returns 32 bytes in hex. */
  privateKey(name: NodeName): string;
  /** Returns 32 bytes in hex, different for every label. */
  secret(label: string): string;
}

export function identitiesOf(seed: string): Identities {
  const secret = (label: string): string => sha256Hex(`satchel fake node|${seed}|${label}`);
  const privateKey = (name: string): string => secret(`key of ${name}`);
  const pubkey = (name: string): string => Buffer.from(pointFromScalar(Buffer.from(privateKey(name), 'hex')) ?? []).toString('hex');
  return {
    pubkeys: { hub: pubkey('hub'), alice: pubkey('alice'), carol: pubkey('carol') },
    unreachablePubkey: pubkey('nobody'),
    privateKey,
    secret,
  };
}

/** Returns the SHA-256 of UTF-8 text or of bytes, in hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
