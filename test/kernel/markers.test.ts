import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newId } from '../../src/core/kernel/ids.ts';
import { createMarkers } from '../../src/core/kernel/markers.ts';

const KEY = new Uint8Array(32).fill(1);
const markers = createMarkers(KEY);
const HASH = '0a'.repeat(32);
const others = createMarkers(new Uint8Array(32).fill(2));

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const id = fc.array(fc.constantFrom(...BASE62), { minLength: 22, maxLength: 22 }).map((letters) => letters.join(''));
const letters = (of: readonly string[], minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...of), { minLength, maxLength }).map((text) => text.join(''));
/** New ids, and those of wallets that were imported from LNPay. */
const walletId = fc.oneof(
  id.map((text) => `wal_${text}`),
  letters(BASE62, 8, 21).map((text) => `wal_${text}`),
  letters([...'0123456789abcdef'], 8, 32).map((text) => `walx_${text}`),
);
const paymentHash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const payment = fc.record({ walletId, paymentId: id.map((text) => `lntx_${text}`) });

function flipped(hex: string, bit: number): string {
  const bytes = Buffer.from(hex, 'hex');
  const at = Math.floor(bit / 8) % bytes.length;
  bytes[at] = (bytes[at] as number) ^ (1 << (bit % 8));
  return bytes.toString('hex');
}

/** Returns how many bytes two texts in hex have in common at the same place. */
function sharedBytes(one: string, other: string): number {
  const bytes = Buffer.from(other, 'hex');
  return Buffer.from(one, 'hex').filter((byte, at) => byte === bytes[at]).length;
}

it('opens the preimages and markers that it made', () => {
  fc.assert(
    fc.property(payment, paymentHash, (marked, hash) => {
      expect(markers.walletOfPreimage(markers.choosePreimage(marked.walletId))).toBe(marked.walletId);
      const marker = markers.sealPayment({ ...marked, paymentHash: hash });
      expect(createMarkers(KEY).openPayment(marker, hash)).toEqual(marked);
      expect(markers.sealPayment({ ...marked, paymentHash: hash })).toBe(marker);
      expect(marker).toHaveLength(2 * (16 + marked.walletId.length + 1 + marked.paymentId.length));
    }),
  );
});

it('opens nothing in which a bit was changed', () => {
  fc.assert(
    fc.property(payment, paymentHash, fc.nat(), (marked, hash, bit) => {
      expect(markers.walletOfPreimage(flipped(markers.choosePreimage(marked.walletId), bit))).toBeUndefined();
      expect(markers.openPayment(flipped(markers.sealPayment({ ...marked, paymentHash: hash }), bit), hash)).toBeUndefined();
    }),
  );
});

it('opens no marker that was copied to a payment with another hash', () => {
  fc.assert(
    fc.property(payment, paymentHash, paymentHash, fc.nat(), (marked, hash, another, bit) => {
      const marker = markers.sealPayment({ ...marked, paymentHash: hash });
      expect(markers.openPayment(marker, flipped(hash, bit))).toBeUndefined();
      if (another !== hash) expect(markers.openPayment(marker, another)).toBeUndefined();
    }),
  );
});

it('opens nothing with another key, and nothing that other programs have chosen', () => {
  fc.assert(
    fc.property(payment, paymentHash, fc.uint8Array({ maxLength: 80 }), (marked, hash, bytes) => {
      expect(others.walletOfPreimage(markers.choosePreimage(marked.walletId))).toBeUndefined();
      expect(others.openPayment(markers.sealPayment({ ...marked, paymentHash: hash }), hash)).toBeUndefined();
      const text = Buffer.from(bytes).toString('hex');
      expect([markers.walletOfPreimage(text), markers.openPayment(text, hash), markers.openPayment(`${text}x`, hash)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }),
  );
  const marker = markers.sealPayment({ walletId: 'wal_1', paymentId: 'lntx_1', paymentHash: HASH });
  expect([markers.openPayment(undefined, HASH), markers.openPayment(marker, `${HASH}0a`), markers.openPayment(marker, '')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('makes preimages and markers of a wallet that have no more in common than random bytes', () => {
  const wallet = `wal_${newId()}`;
  const preimages = Array.from({ length: 300 }, () => markers.choosePreimage(wallet));
  const seal = () => markers.sealPayment({ walletId: wallet, paymentId: `lntx_${newId()}`, paymentHash: HASH });
  const sealed = Array.from({ length: 300 }, seal);
  for (const [texts, bytes] of [
    [preimages, 32],
    [sealed, 70],
  ] as const) {
    expect(new Set(texts).size).toBe(texts.length);
    const shared = texts.slice(1).map((text, at) => sharedBytes(text, texts[at] as string));
    // Random texts share bytes / 256 on average: here 37 and 82 of all pairs, with a deviation of 6 and 9.
    expect(shared.reduce((sum, count) => sum + count)).toBeLessThan((300 * bytes) / 256 + 100);
    expect(Math.max(...shared)).toBeLessThan(10);
  }
});

it('makes preimages only for ids of wallets', () => {
  for (const wrong of ['wal_1', 'walx_0123456789abcdeF', `wal_${newId()}0`, `lntx_${newId()}`, newId(), ''])
    expect(() => markers.choosePreimage(wrong)).toThrow('is not the id of a wallet');
});
