import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type RowWrite, SYSTEM_ACCOUNTS, type TransferOrder } from '../ledger/ledger.ts';
import type { CustomRecords, IncomingPayment, Settlement } from '../lightning/node.ts';
import type { Wallet, Wallets } from '../wallets/wallets.ts';
import { findInvoiceByHash, type Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';

/** Returns the wallet that an incoming keysend is for; undefined when there is none. */
export type KeysendRouting = (records: CustomRecords) => Promise<Wallet | undefined>;

/** Money that arrived, reported as an event or found by reconciliation. */
export type SettlementDetails = Omit<Settlement, 'position'>;

/** Money that arrived at a node of the ledger. */
type SettlementAtNode = SettlementDetails & { readonly nodeId: string };

/** Returns whether the node may claim an incoming payment: one for an open invoice, or a keysend for a wallet. */
export async function mayClaim(context: InvoiceContext, incoming: IncomingPayment): Promise<boolean> {
  const { paymentHash, keysend, customRecords } = incoming;
  const invoice = await findInvoiceByHash(context.database, paymentHash);
  // A payment hash is credited once, so a second keysend with the same hash would be lost to its payer.
  if (keysend) return !invoice && !(await isCredited(context, paymentHash)) && (await context.routeKeysend(customRecords)) !== undefined;
  return invoice?.state === 'open' && (invoice.expiresAt ?? 0) > unixSeconds(context.clock);
}

/** Credits a settlement to its wallet, or to suspense when there is none. Idempotent: each payment hash is credited once. */
export async function settle(context: InvoiceContext, settlement: SettlementAtNode): Promise<void> {
  const invoice = await findInvoiceByHash(context.database, settlement.paymentHash);
  if (invoice) return settleInvoice(context, settlement, invoice);
  const wallet = settlement.keysend ? await context.routeKeysend(settlement.customRecords) : undefined;
  return wallet ? settleKeysend(context, settlement, wallet) : settleUnmatched(context, settlement);
}

async function settleInvoice(context: InvoiceContext, settlement: SettlementAtNode, invoice: Invoice): Promise<void> {
  const parameters = [invoice.id, settlement.amountMsat, settlement.preimage, settlement.settledAt];
  const to = { to: invoice.ledgerAccount, toLntx: invoice.id, toType: invoice.wtxType };
  if (invoice.state !== 'settled' && (await credit(context, settlement, { statement: sql.settleFromOutside, parameters }, to))) return;
  // If an internal payment settled the invoice and the node was paid for it too, the second amount has no owner yet.
  const isUnmatched = (await isPaidInternally(context, invoice)) && !(await isCredited(context, invoice.paymentHash));
  if (isUnmatched) await settleUnmatched(context, settlement);
}

async function settleKeysend(context: InvoiceContext, settlement: SettlementAtNode, wallet: Wallet): Promise<void> {
  const id = `lntx_${newId(context.clock.nowMs())}`;
  const { paymentHash, amountMsat, settledAt, preimage, nodeId } = settlement;
  const owner = [wallet.id, wallet.ledgerAccount, nodeId, context.connections.of(nodeId).identity().pubkey];
  const records = JSON.stringify(settlement.customRecords);
  const row = { statement: sql.insertKeysend, parameters: [id, ...owner, paymentHash, amountMsat, settledAt, preimage, records] };
  await credit(context, settlement, row, { to: wallet.ledgerAccount, toLntx: id, toType: 'ln_deposit' });
}

/** Credits money without a wallet to suspense, where the operator assigns or returns it. */
async function settleUnmatched(context: InvoiceContext, settlement: SettlementAtNode): Promise<void> {
  const { paymentHash, amountMsat, settledAt, nodeId, keysend } = settlement;
  const row = { statement: sql.insertUnmatched, parameters: [paymentHash, amountMsat, settledAt, nodeId, keysend ? 1 : 0] };
  await credit(context, settlement, row, { to: SYSTEM_ACCOUNTS.suspense });
}

/**
 * Books a settlement. The payment hash, the row and the transfer are one posting, and the database keeps each hash once.
 * @returns false when it was booked before.
 */
async function credit(
  { ledger, connections, clock }: InvoiceContext,
  settlement: SettlementAtNode,
  row: Omit<RowWrite, 'onMiss'>,
  to: Omit<TransferOrder, 'id' | 'from' | 'amountMsat'>,
): Promise<boolean> {
  const { paymentHash, amountMsat, nodeId } = settlement;
  const transfer = { id: newId(clock.nowMs()), from: connections.of(nodeId).ledgerAccount, amountMsat, ...to };
  const onMiss = new Error('the settlement was credited before');
  const once = { statement: sql.insertSettlement, parameters: [paymentHash], onMiss };
  try {
    await ledger.post({ rows: [once, { ...row, onMiss }], transfers: [transfer] });
    return true;
  } catch (error) {
    if (error === onMiss) return false;
    throw error;
  }
}

/** Returns whether a settlement with this payment hash was credited, to a wallet or to suspense. */
async function isCredited({ database }: InvoiceContext, paymentHash: string): Promise<boolean> {
  return (await database.first(sql.findSettlement, paymentHash)) !== undefined;
}

/** Returns whether an internal payment settled the invoice. */
async function isPaidInternally({ database }: InvoiceContext, { id, paymentHash }: Invoice): Promise<boolean> {
  return (await database.first(sql.findInternalPayment, paymentHash, id)) !== undefined;
}

/** The TLV records with the id of the wallet, as podcast apps and old clients send them (bLIP 10 and its custom keys). */
const WALLET_RECORDS = ['696969', '112111100', '112111100102'];

/** Routes a keysend to the wallet whose id is in one of its records, otherwise to `fallbackWalletId`. */
export function keysendRouting(wallets: Wallets, fallbackWalletId: string | undefined): KeysendRouting {
  return async (records) => {
    for (const type of WALLET_RECORDS) {
      const wallet = await walletInRecord(wallets, records[type]);
      if (wallet) return wallet;
    }
    return fallbackWalletId === undefined ? undefined : wallets.find(fallbackWalletId);
  };
}

async function walletInRecord(wallets: Wallets, hex: string | undefined): Promise<Wallet | undefined> {
  const id = hex === undefined ? '' : Buffer.from(hex, 'hex').toString('utf8').trim();
  // Only an id is accepted. A key would be stored by the node with the payment's records.
  return /^wal_[0-9A-Za-z]{1,40}$/.test(id) ? wallets.find(id) : undefined;
}
