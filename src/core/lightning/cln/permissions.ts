import type { CredentialReport } from '../credential-report.ts';
import { METHODS } from './rpc.ts';

/** A rune begins with a SHA-256 that proves its restrictions, which follow as text. Source: the documentation of runes. */
const AUTH_CODE_BYTES = 32;

/**
 * Compares the methods that a rune permits with those that the service calls. A rune without a restriction of its methods permits all of
 * them. Other restrictions, such as of the rate, are not judged.
 */
export function reportRune(rune: string): CredentialReport {
  const permitted = permittedMethods(rune);
  const others = permitted?.filter((method) => !METHODS.some((one) => one === method)) ?? [];
  return {
    missing: permitted ? METHODS.filter((method) => !permitted.includes(method)) : [],
    excessive: permitted ? (others.length > 0 ? [`call ${others.join(', ')}`] : []) : ['call every method, such as withdraw'],
    command: `lightning-cli createrune restrictions='[[${METHODS.map((method) => `"method=${method}"`).join(',')}]]'`,
  };
}

/** Returns the methods in the restriction of methods; undefined if there is none. */
function permittedMethods(rune: string): string[] | undefined {
  const restrictions = Buffer.from(rune.trim(), 'base64url').subarray(AUTH_CODE_BYTES).toString().split('&');
  for (const restriction of restrictions) {
    const alternatives = restriction.split('|');
    if (alternatives.every((one) => one.startsWith('method='))) return alternatives.map((one) => one.slice('method='.length));
  }
  return undefined;
}
