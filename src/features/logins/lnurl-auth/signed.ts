import { verifyEcdsa } from '../../../core/lightning/ecdsa.ts';
import { readDerSignature } from './der.ts';

/** The parameters that a wallet adds to the URL of a challenge, as text. */
export interface SignedChallenge {
  readonly k1: string;
  /** An ECDSA signature of `k1` in DER, in hex. */
  readonly signature: string;
  /** A compressed public key, in hex. */
  readonly linkingKey: string;
}

export function isSigned({ k1, signature, linkingKey }: SignedChallenge): boolean {
  const compact = readDerSignature(Buffer.from(signature, 'hex'));
  // LUD-04 does not require a low S.
  return compact !== undefined && verifyEcdsa(Buffer.from(k1, 'hex'), linkingKey, { compact, requiresLowS: false });
}

/** Returns the URL that a wallet calls with a signature of `k1`. */
export function callbackUrl(publicUrl: string, k1: string, action: string | undefined): string {
  return `${publicUrl}/v1/lnurl-auth/callback?${new URLSearchParams({ tag: 'login', k1, ...(action && { action }) })}`;
}
