import { createHmac, timingSafeEqual } from 'node:crypto';
import { base32nopad } from '@scure/base';

/** The length of a time step, in seconds. Authenticator apps support no other length. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Codes of the steps before and after the present one are accepted, because clocks differ. */
const WINDOW = 1;

/** Returns the code of a seed at a time step (RFC 6238, RFC 4226, with HMAC-SHA-1, which is what all apps support). */
export function totpCode(seed: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', seed).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** Returns the time step of a code that is valid now; undefined if there is none. */
export function stepOfCode(seed: Uint8Array, code: string, nowSeconds: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const present = Math.floor(nowSeconds / STEP_SECONDS);
  const steps = Array.from({ length: 2 * WINDOW + 1 }, (_, i) => present - WINDOW + i);
  return steps.find((step) => timingSafeEqual(Buffer.from(totpCode(seed, step)), Buffer.from(code)));
}

/** Returns the URL that an authenticator app reads from a QR code. */
export function otpauthUrl(seed: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32nopad.encode(seed)}&issuer=${encodeURIComponent(issuer)}`;
}
