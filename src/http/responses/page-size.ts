import type { WalletTransaction } from '../../history/wallet-transaction.ts';
import { Refusal } from '../../kernel/refusal.ts';

/** A page of the largest possible items would be 6 MB, and several times as much while it is made. */
const MAX_PAGE_BYTES = 2_000_000;
/** What an item has besides its texts of any length. */
const FIXED_BYTES = 1_500;

/** Returns how many of the items make a page of about 2 MB; at least one, so that reading by cursor always gets on. */
export function countThatFit(items: readonly WalletTransaction[]): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += sizeOf(item);
    if (bytes > MAX_PAGE_BYTES) return Math.max(index, 1);
  }
  return items.length;
}

/**
 * Returns the items of a page by number. It cannot end early: the next page begins at a fixed place.
 * @throws Refusal when they are larger than a page may be
 */
export function requireFits(items: readonly WalletTransaction[]): readonly WalletTransaction[] {
  const fitting = countThatFit(items);
  if (fitting === items.length) return items;
  throw new Refusal(
    'validation_failed',
    `per-page must be at most ${fitting} for this page: its items are larger than ${MAX_PAGE_BYTES / 1_000_000} MB. ` +
      'Pages that follow an item (after=<id>) end early instead.',
  );
}

function sizeOf({ userLabel, passThru, lightning }: WalletTransaction): number {
  const own = FIXED_BYTES + userLabel.length + (passThru?.length ?? 0);
  if (!lightning) return own;
  const records = lightning.customRecords ? 2 * JSON.stringify(lightning.customRecords).length : 0;
  return own + lightning.paymentRequest.length + lightning.memo.length + (lightning.passThru?.length ?? 0) + records;
}
