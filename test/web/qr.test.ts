import decodeQR from 'qr/decode.js';
import { expect, it } from 'vitest';
import { drawQr, type QrDrawing } from '../../web/src/parts/qr-drawing.ts';

const INVOICE = `lnbc42u1${'p5nctkrpp5rlgphh5yczjt9u7gd4metc'.repeat(8)}`;
const PIXELS = 4;
const QUIET_ZONE = 4;

/** Reads a drawing as a camera would: dark modules on white, with a quiet zone. */
function scan({ size, path }: QrDrawing): string {
  const side = (size + 2 * QUIET_ZONE) * PIXELS;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    const [left, top] = [(Number(x) + QUIET_ZONE) * PIXELS, (Number(y) + QUIET_ZONE) * PIXELS];
    for (let row = top; row < top + PIXELS; row++) data.fill(0, (row * side + left) * 4, (row * side + left + PIXELS) * 4);
  }
  return decodeQR({ width: side, height: side, data });
}

it('a QR code has BOLT11 and LNURL in upper case', async () => {
  expect(scan(await drawQr(INVOICE))).toBe(INVOICE.toUpperCase());
  expect(scan(await drawQr('lightning:lnurl1dp68gurn8ghj7'))).toBe('LIGHTNING:LNURL1DP68GURN8GHJ7');
});

it('a QR code has every other text unchanged', async () => {
  for (const text of ['lnd@till.example', 'otpauth://totp/Satchel:a%40b.example?secret=JBSWY3DP', 'https://till.example/lnurlp/Coffee'])
    expect(scan(await drawQr(text))).toBe(text);
});

it('an invoice in upper case has fewer modules', async () => {
  const other = await drawQr(`${INVOICE}?`);
  expect((await drawQr(INVOICE)).size).toBeLessThan(other.size);
});
