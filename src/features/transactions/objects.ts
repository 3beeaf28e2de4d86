import type { LightningTransaction } from './lightning-transaction.ts';
import { renderLightningTransaction } from './lightning-transaction-object.ts';
import type { WalletTransaction } from './wallet-transaction.ts';
import { type RenderOptions, renderOtherSide, renderWalletTransaction } from './wallet-transaction-object.ts';

/** Renders transactions as objects of the API. */
export function createObjects(options: RenderOptions) {
  return {
    walletTransaction: (wtx: WalletTransaction) => renderWalletTransaction(wtx, options),
    otherSide: (wtx: WalletTransaction) => renderOtherSide(wtx, options),
    lightningTransaction: (ln: LightningTransaction) => renderLightningTransaction(ln, options.noKeysend),
  };
}

export type Objects = ReturnType<typeof createObjects>;

/** Returns the options of the objects: old Go clients expect null instead of 0 in `is_keysend`. */
export function renderOptions({ legacyNullKeysend = false }: { legacyNullKeysend?: boolean } = {}): RenderOptions {
  return { noKeysend: legacyNullKeysend ? null : 0 };
}
