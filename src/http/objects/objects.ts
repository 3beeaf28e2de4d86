import type { LightningTransaction } from '../../history/lightning-transaction.ts';
import type { WalletTransaction } from '../../history/wallet-transaction.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { Balance } from '../../ledger/ledger.ts';
import type { Wallet } from '../../wallets/wallets.ts';
import { LightningTransactionDetailsObject, LightningTransactionObject, renderLightningTransaction } from './lightning-transaction.ts';
import { renderWallet, WalletObject } from './wallet.ts';
import { renderOtherSide, renderWalletTransaction, WalletTransactionObject } from './wallet-transaction.ts';

/** The objects of which the query parameter `fields` selects a part, alone or in a list. */
export const SELECTABLE: ReadonlySet<unknown> = new Set([
  WalletObject,
  LightningTransactionObject,
  LightningTransactionDetailsObject,
  WalletTransactionObject,
]);

/** Renders domain objects as objects of the API; `nodeId` is the node's `lnd_…`. */
export function createObjects(nodeId: string, { legacyNullKeysend = false }: { legacyNullKeysend?: boolean } = {}) {
  const noKeysend = legacyNullKeysend ? null : 0;
  const options = { nodeId, noKeysend } as const;

  /** @throws Refusal when the caller names a node that is not ours. */
  function requireOurNode(id: string | undefined): void {
    if (id !== undefined && id !== nodeId)
      throw new Refusal('validation_failed', '`ln_node_id` must be the node of this service. Leave it out to use that node.');
  }

  return {
    wallet: (wallet: Wallet, balance: Balance) => renderWallet(wallet, balance, nodeId),
    walletTransaction: (wtx: WalletTransaction) => renderWalletTransaction(wtx, options),
    otherSide: (wtx: WalletTransaction) => renderOtherSide(wtx, options),
    lightningTransaction: (ln: LightningTransaction) => renderLightningTransaction(ln, noKeysend),
    requireOurNode,
  };
}

export type Objects = ReturnType<typeof createObjects>;
