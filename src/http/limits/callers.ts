import type { FastifyRequest } from 'fastify';
import { isPublicText } from '../../core/accounts/keys.ts';
import { isLoopback, networkOf } from './addresses.ts';

/** The client of a request, as the limits count it. */
export interface Caller {
  readonly name: string;
  /** `proxy`: this machine without a key, which may be a reverse proxy for many clients. */
  readonly kind: 'key' | 'address' | 'proxy';
}

/** Returns the secret key of a request if it was checked; otherwise the address, also for a public key and for one that was made up. */
export function callerOf({ credential, ip }: FastifyRequest): Caller {
  if (credential && !isPublicText(credential.text)) return { name: credential.text, kind: 'key' };
  return { name: networkOf(ip), kind: isLoopback(ip) ? 'proxy' : 'address' };
}
