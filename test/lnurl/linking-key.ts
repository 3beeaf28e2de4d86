import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { pointCompress, sign } from 'tiny-secp256k1';

/** A wallet's key for one domain. */
export class LinkingKey {
  readonly key: KeyObject = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;

  get hex(): string {
    const { x = '', y = '' } = this.key.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    return Buffer.from(pointCompress(point, true)).toString('hex');
  }

  /** Signs 32 bytes, and encodes the signature in DER. */
  sign(k1: string): string {
    const secret = Buffer.from(this.key.export({ format: 'jwk' }).d ?? '', 'base64url');
    const compact = Buffer.from(sign(Buffer.from(k1, 'hex'), secret));
    return derOf(compact.subarray(0, 32), compact.subarray(32)).toString('hex');
  }

  /** Signs the challenge in a URL, and calls it as LUD-04 says: with `sig` and `key` added to its query. `origin` replaces that of the URL. */
  async call(origin: string, url: string): Promise<{ status: string; reason?: string }> {
    const { pathname, search, searchParams } = new URL(url);
    const signed = new URLSearchParams({ sig: this.sign(searchParams.get('k1') ?? ''), key: this.hex });
    const response = await fetch(`${origin}${pathname}${search}&${signed}`);
    return (await response.json()) as { status: string; reason?: string };
  }
}

/** Encodes a signature in DER (SEC 1, C.8). */
export function derOf(r: Buffer, s: Buffer): Buffer {
  const integers = [r, s].map((value) => {
    const digits = value.subarray(value.findIndex((byte) => byte > 0));
    const positive = (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits;
    return Buffer.concat([Buffer.of(2, positive.length), positive]);
  });
  const body = Buffer.concat(integers);
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}
