import { Refusal } from '../../core/kernel/refusal.ts';
import type { LightningTransaction } from './lightning-transaction.ts';
import type { WalletTransaction } from './wallet-transaction.ts';

/** A page of the largest possible items would be 6 MB, and take several times as much memory while it is rendered. */
const MAX_PAGE_BYTES = 2_000_000;
/** Size of an item without its texts of variable length. */
export const FIXED_BYTES = 1_500;

/** Returns how many of the items fit into a page of about 2 MB: at least one, so that a cursor always advances. */
export function countThatFit<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += sizeOf(item);
    if (bytes > MAX_PAGE_BYTES) return Math.max(index, 1);
  }
  return items.length;
}

/**
 * Returns the items of a page that was requested by number. Such a page cannot end early, because the next one begins at a fixed position.
 * @throws Refusal when they are larger than a page may be
 */
export function requireFits(items: readonly WalletTransaction[]): readonly WalletTransaction[] {
  const fitting = countThatFit(items, sizeOfTransaction);
  if (fitting === items.length) return items;
  throw new Refusal(
    'validation_failed',
    `Query parameter \`per-page\` must be at most ${fitting} for this page, because its items are larger than ${MAX_PAGE_BYTES / 1_000_000} MB. ` +
      'Or use after=<id>: such pages end early.',
  );
}

/** Returns the approximate number of bytes of a wallet transaction. */
export function sizeOfTransaction({ userLabel, passThru, lightning }: WalletTransaction): number {
  const own = FIXED_BYTES + userLabel.length + (passThru?.length ?? 0);
  return lightning ? own + sizeOfLightning(lightning) : own;
}

export function sizeOfLightning(lightning: LightningTransaction): number {
  const records = lightning.customRecords ? 2 * JSON.stringify(lightning.customRecords).length : 0;
  return lightning.paymentRequest.length + lightning.memo.length + (lightning.passThru?.length ?? 0) + records;
}
