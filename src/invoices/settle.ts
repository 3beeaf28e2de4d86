import type { NodeConnection } from '../connection/connection.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowWrite } from '../ledger/posting.ts';
import type { CustomRecords, IncomingPayment, Settlement as SettlementEvent } from '../lightning/node.ts';
import type { Wallet } from '../wallets/wallets.ts';
import type { Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';

/** Finds the wallet an incoming keysend is for; undefined when it is for nobody here. */
export type KeysendRouting = (records: CustomRecords) => Promise<Wallet | undefined>;

/** Money that arrived, wherever the report of it comes from. */
export type Settlement = Omit<SettlementEvent, 'position'>;

/** What happens when money arrives. */
export interface Incoming {
  /** Whether the node may claim a payment that has arrived: only for an open invoice, or a keysend that is for a wallet. */
  mayClaim(incoming: IncomingPayment): Promise<boolean>;
  /** Credits a settlement to its wallet, or to suspense when no wallet is found; once per payment hash, however often it is reported. */
  settle(settlement: Settlement): Promise<void>;
}

export interface IncomingDependencies {
  readonly findByHash: (paymentHash: string) => Promise<Invoice | undefined>;
  /** Whether a settlement with this payment hash was credited, to a wallet or to suspense. */
  readonly isCredited: (paymentHash: string) => Promise<boolean>;
  /** Whether an internal payment settled the invoice. */
  readonly isPaidInside: (invoice: Invoice) => Promise<boolean>;
  readonly ledger: Ledger;
  readonly connection: NodeConnection;
  readonly routeKeysend: KeysendRouting;
  readonly clock: Clock;
}

/** The settlement was credited before: nothing happens. */
class SettledBefore extends Error {
  override readonly name = 'SettledBefore';
}

export function createIncoming(deps: IncomingDependencies): Incoming {
  const { findByHash, isCredited, isPaidInside, ledger, connection, routeKeysend, clock } = deps;

  /**
   * Books a settlement. The payment hash, the row and the transfer are one posting, and the database keeps each hash once.
   * @returns false when it was booked before.
   */
  async function credit(settlement: Settlement, row: Omit<RowWrite, 'onMiss'>, to: Credited): Promise<boolean> {
    const { paymentHash, amountMsat } = settlement;
    const transfer = { id: newId(clock.nowMs()), from: SYSTEM_ACCOUNTS.node, amountMsat, ...to };
    const onMiss = new SettledBefore();
    const once = { statement: sql.insertSettlement, parameters: [paymentHash], onMiss };
    try {
      await ledger.post({ rows: [once, { ...row, onMiss }], transfers: [transfer] });
      return true;
    } catch (error) {
      if (!(error instanceof SettledBefore)) throw error;
      return false;
    }
  }

  async function settleInvoice(settlement: Settlement, invoice: Invoice): Promise<void> {
    const parameters = [invoice.id, settlement.amountMsat, settlement.preimage, settlement.settledAt];
    const to = { to: invoice.ledgerAccount, toLntx: invoice.id, toType: invoice.wtxType };
    if (invoice.state !== 'settled' && (await credit(settlement, { statement: sql.settleFromOutside, parameters }, to))) return;
    // An internal payment settled the invoice, and the node was paid for it as well: that is other money, and has no owner yet.
    if ((await isPaidInside(invoice)) && !(await isCredited(invoice.paymentHash))) await settleStray(settlement);
  }

  async function settleKeysend(settlement: Settlement, wallet: Wallet): Promise<void> {
    const id = `lntx_${newId(clock.nowMs())}`;
    const { paymentHash, amountMsat, settledAt, preimage } = settlement;
    const owner = [wallet.id, wallet.ledgerAccount, connection.nodeId, connection.identity().pubkey];
    const records = JSON.stringify(settlement.customRecords);
    await credit(
      settlement,
      { statement: sql.insertKeysend, parameters: [id, ...owner, paymentHash, amountMsat, settledAt, preimage, records] },
      { to: wallet.ledgerAccount, toLntx: id, toType: 'ln_deposit' },
    );
  }

  /** Credits money that is for no wallet to suspense, where the operator sees it. */
  async function settleStray(settlement: Settlement): Promise<void> {
    const { paymentHash, amountMsat, settledAt } = settlement;
    const row = { statement: sql.insertStray, parameters: [paymentHash, amountMsat, settledAt] };
    await credit(settlement, row, { to: SYSTEM_ACCOUNTS.suspense });
  }

  return {
    async mayClaim(incoming) {
      const invoice = await findByHash(incoming.paymentHash);
      // A payment hash is credited once, so the payer of a second keysend with the same hash would get nothing for it.
      if (incoming.keysend) {
        return !invoice && !(await isCredited(incoming.paymentHash)) && (await routeKeysend(incoming.customRecords)) !== undefined;
      }
      return invoice?.state === 'open' && (invoice.expiresAt ?? 0) > unixSeconds(clock);
    },
    async settle(settlement) {
      const invoice = await findByHash(settlement.paymentHash);
      if (invoice) return settleInvoice(settlement, invoice);
      const wallet = settlement.keysend ? await routeKeysend(settlement.customRecords) : undefined;
      return wallet ? settleKeysend(settlement, wallet) : settleStray(settlement);
    },
  };
}

interface Credited {
  readonly to: number;
  readonly toLntx?: string;
  readonly toType?: string;
}
