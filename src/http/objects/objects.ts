import type { EventDetails } from '../../feed/details.ts';
import type { LightningTransaction } from '../../history/lightning-transaction.ts';
import type { WalletTransaction } from '../../history/wallet-transaction.ts';
import { renderEvent } from './event.ts';
import { LightningTransactionDetailsObject, LightningTransactionObject, renderLightningTransaction } from './lightning-transaction.ts';
import { PayLinkObject } from './pay-link.ts';
import { renderWallet, WalletObject } from './wallet.ts';
import { renderOtherSide, renderWalletTransaction, WalletTransactionObject } from './wallet-transaction.ts';

/** The objects of which the query parameter `fields` selects a part, alone or in a list. */
export const SELECTABLE: ReadonlySet<unknown> = new Set([
  WalletObject,
  LightningTransactionObject,
  LightningTransactionDetailsObject,
  WalletTransactionObject,
  PayLinkObject,
]);

/** Renders domain objects as objects of the API. */
export function createObjects({ legacyNullKeysend = false }: { legacyNullKeysend?: boolean } = {}) {
  const noKeysend = legacyNullKeysend ? null : 0;
  const options = { noKeysend } as const;

  return {
    wallet: renderWallet,
    walletTransaction: (wtx: WalletTransaction) => renderWalletTransaction(wtx, options),
    otherSide: (wtx: WalletTransaction) => renderOtherSide(wtx, options),
    event: (details: EventDetails) => renderEvent(details, options),
    lightningTransaction: (ln: LightningTransaction) => renderLightningTransaction(ln, noKeysend),
  };
}

export type Objects = ReturnType<typeof createObjects>;
