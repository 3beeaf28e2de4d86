import type { FeePosting } from '../fees/fees.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { isWalletId, newId } from '../kernel/ids.ts';
import { type Msat, satText } from '../kernel/money.ts';
import { type RowWrite, SYSTEM_ACCOUNTS } from '../ledger/ledger.ts';
import type { CustomRecords, IncomingPayment, SettlementFinality } from '../lightning/node.ts';
import { paymentHashOf } from '../lightning/payment-hash.ts';
import { findReceivingRestriction, type Wallet, type Wallets } from '../wallets/wallets.ts';
import * as arriving from './arriving.sql.ts';
import { linkPaymentRows } from './close.ts';
import { findInvoiceByHash, type Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';
import { recoverHold } from './lost-holds.ts';
import { overLimitAlert } from './receiving.ts';
import { arrivingRow, readFinality, receivedParameters, type SettlementAtNode, type SettlementTarget, storeReport } from './report.ts';

/** Returns the wallet that an incoming keysend is for; undefined when there is none. */
export type KeysendRouting = (records: CustomRecords) => Promise<Wallet | undefined>;

/** `booked`: credited now. `booked_before`: by another report. `arriving`: stored, and credited once it is final. `failed`: it never arrived. */
export type SettlementResult = 'booked' | 'booked_before' | 'arriving' | 'failed';

/** How long the node may take to finish a settlement that it has just reported, before that is stored. */
const WAIT_MS = 2000;
/** An older settlement is not waited for. */
const RECENT_SECONDS = 600;
const MAX_TRIES = 3;

/** Returns whether the node may claim an incoming payment: one for an open invoice, or a keysend for a wallet, of an account that may receive. */
export async function mayClaim(context: InvoiceContext, incoming: IncomingPayment): Promise<boolean> {
  const { paymentHash, keysend, customRecords } = incoming;
  const invoice = await findInvoiceByHash(context.database, paymentHash);
  if (!keysend) {
    const isOpen = invoice?.state === 'open' && (invoice.expiresAt ?? 0) > unixSeconds(context.clock);
    return isOpen && !(await restrictionOf(context, { invoice }));
  }
  // A payment hash is credited once, so a second keysend with the same hash would be lost to its payer.
  if (invoice || (await isCredited(context, paymentHash))) return false;
  const wallet = await context.routeKeysend(customRecords);
  return wallet !== undefined && !(await restrictionOf(context, { wallet }));
}

/**
 * Books a settlement that a node has reported. All reports come here. It is credited to its wallet, or to suspense when there is none, once the
 * node reports it as final; until then it is stored as arriving. Idempotent: each payment hash is credited once.
 */
export async function settle(context: InvoiceContext, settlement: SettlementAtNode): Promise<SettlementResult> {
  const isRecent = unixSeconds(context.clock) - settlement.settledAt < RECENT_SECONDS;
  for (let tries = 1; ; tries++) {
    const target = await findTarget(context, settlement);
    if (!target) return 'booked_before';
    // A job asks the node about it until it ends.
    if (target.reported?.state === 'arriving') return 'arriving';
    const result = await settleTarget(context, settlement, target, isRecent ? WAIT_MS : 0);
    if (result) return result;
    if (tries === MAX_TRIES) throw new Error('the invoice was changed again and again');
  }
}

/** Books what a node has now reported about a payment that is stored as not final. */
export async function settleAgain(
  context: InvoiceContext,
  settlement: SettlementAtNode,
  finality: SettlementFinality,
): Promise<SettlementResult> {
  const target = await findTarget(context, settlement);
  if (!target) return 'booked_before';
  return (await settleAs(context, settlement, target, finality)) ?? 'arriving';
}

/** Ends a payment that is arriving as an operator has decided. */
export async function endReported(context: InvoiceContext, settlement: SettlementAtNode, outcome: 'settled' | 'failed'): Promise<void> {
  const target = await findTarget(context, settlement);
  if (target?.reported?.state !== 'arriving') return;
  if (outcome === 'settled') await credit(context, settlement, target, 'whole');
  else await storeReport(context, settlement, target, 'ended');
}

/** @returns undefined when another request has changed the target meanwhile. */
async function settleTarget(
  context: InvoiceContext,
  settlement: SettlementAtNode,
  target: SettlementTarget,
  waitMs: number,
): Promise<SettlementResult | undefined> {
  const { reported, invoice, wallet } = target;
  const hasOwner = invoice !== undefined || wallet !== undefined;
  if (!reported && hasOwner && settlement.amountMsat <= context.creditBeforeFinalMsat) return credit(context, settlement, target, 'early');
  return settleAs(context, settlement, target, await readFinality(context, settlement, waitMs));
}

/** @returns undefined when another request has changed the target meanwhile. */
async function settleAs(
  context: InvoiceContext,
  settlement: SettlementAtNode,
  target: SettlementTarget,
  finality: SettlementFinality,
): Promise<SettlementResult | undefined> {
  const { reported } = target;
  if (finality.state === 'final') {
    const { amountMsat = settlement.amountMsat } = finality;
    return credit(context, { ...settlement, amountMsat }, target, amountMsat === settlement.amountMsat ? 'whole' : 'part');
  }
  const state = finality.state === 'failed' ? 'failed' : 'arriving';
  return reported && (reported.state === state || state === 'arriving') ? reported.state : storeReport(context, settlement, target, state);
}

/** Returns where a settlement is to be credited; undefined if it was credited before. */
async function findTarget(context: InvoiceContext, settlement: SettlementAtNode) {
  const { database } = context;
  const { paymentHash } = settlement;
  const invoice =
    (await findInvoiceByHash(database, paymentHash)) ?? (settlement.keysend ? undefined : await recoverHold(context, paymentHash));
  if (invoice && isUnpaid(invoice)) return { invoice };
  if (await isCredited(context, paymentHash)) return undefined;
  const reported = await database.first(arriving.find, paymentHash);
  if (invoice?.state === 'arriving' || invoice?.state === 'failed') return { invoice, reported };
  // If an internal payment settled the invoice and the node was paid for it too, the second amount has no owner yet.
  if (invoice) return (await isPaidInternally(context, invoice)) ? { reported } : undefined;
  return { wallet: await walletWithoutInvoice(context, settlement), reported };
}

/**
 * Returns the wallet of a payment that has no invoice in the ledger: that of a keysend, or that of an invoice which was lost when the database was
 * restored, whose preimage names it.
 */
async function walletWithoutInvoice(context: InvoiceContext, settlement: SettlementAtNode): Promise<Wallet | undefined> {
  const { keysend, customRecords, paymentHash, preimage, nodeId } = settlement;
  const routed = keysend ? await context.routeKeysend(customRecords) : undefined;
  if (routed) return routed;
  const walletId = keysend ? await lostWalletOfKeysend(context, settlement) : walletOfLostInvoice(context, paymentHash, preimage);
  return walletId === undefined ? undefined : context.recoverWallet(walletId, nodeId);
}

/** Returns the wallet that the preimage of an invoice names. */
export function walletOfLostInvoice(
  { markers }: Pick<InvoiceContext, 'markers'>,
  paymentHash: string,
  preimage: string,
): string | undefined {
  return paymentHashOf(preimage) === paymentHash ? markers.walletOfPreimage(preimage) : undefined;
}

/** Anyone can name any wallet in a keysend, so only one that arrived before the restore can name a wallet that the ledger has lost. */
async function lostWalletOfKeysend(context: InvoiceContext, { customRecords, settledAt }: SettlementAtNode): Promise<string | undefined> {
  const restored = await context.quarantine.read();
  if (!restored || settledAt > (restored.restoredAt ?? settledAt)) return undefined;
  return walletIdsIn(customRecords).find(isWalletId);
}

function isUnpaid({ state }: Invoice): boolean {
  return state === 'open' || state === 'closing' || state === 'held' || state === 'canceled';
}

/**
 * Credits a settlement. The payment hash, the rows and the transfer are one posting, and the database keeps each hash once.
 * @returns undefined when another request has credited it or changed the target.
 */
async function credit(
  context: InvoiceContext,
  settlement: SettlementAtNode,
  target: SettlementTarget,
  amount: 'whole' | 'part' | 'early',
): Promise<'booked' | undefined> {
  const { ledger, connections, clock, alerts } = context;
  const { paymentHash, amountMsat, nodeId } = settlement;
  const { row, ...to } = creditOf(context, settlement, target);
  const id = target.reported?.transfer_id ?? newId(clock.nowMs());
  const fee = await receiptFeePosting(context, target, { id, amountMsat, lntx: to.toLntx });
  const onMiss = new Error('the settlement was credited before');
  const rows: RowWrite[] = [{ statement: sql.insertSettlement, parameters: [paymentHash], onMiss }, { ...row, onMiss }, ...fee.rows];
  if (target.invoice) rows.push(...linkPaymentRows(target.invoice, amountMsat, settlement.settledAt));
  if (target.reported) rows.push({ statement: arriving.remove, parameters: [paymentHash, target.reported.state], onMiss });
  if (amount === 'early') {
    rows.push({ ...arrivingRow(context, settlement, { lntx: to.toLntx, id, state: 'arriving', isCredited: true }), onMiss });
  }
  const messages: string[] = [];
  if (amount === 'part') messages.push(`only ${satText(amountMsat)} of the reported payment have arrived, and were credited`);
  if (target.reported?.state === 'failed')
    messages.push(`${satText(amountMsat)} were ended as never received; the node reports now that they arrived, and they were credited`);
  const message = messages.join('; ');
  const restriction = await restrictionOf(context, target);
  const excess = await excessOf(context, target, amountMsat);
  if (excess) rows.push(...alerts.rowsOf(excess));
  if (restriction) {
    const details = { wallet_id: restriction.subject, amount_msat: amountMsat, status: restriction.state };
    const { kind, subject } = restriction;
    rows.push(
      ...alerts.rowsOf({ kind, subject, message: `${satText(amountMsat)} were credited; the account is ${restriction.state}`, details }),
    );
  }
  if (message !== '') {
    const details = { lntx_id: to.toLntx, wallet_id: receiverOf(target)?.walletId, amount_msat: amountMsat, status: 'credited' };
    rows.push(...alerts.rowsOf({ kind: 'invoice_contradicted', subject: to.toLntx ?? paymentHash, message, details }));
  }
  try {
    await ledger.post({
      rows,
      transfers: [{ id, from: connections.of(nodeId).ledgerAccount, amountMsat, ...to }, ...fee.charged, ...fee.shared],
    });
  } catch (error) {
    if (error === onMiss) return undefined;
    throw error;
  }
  if (message !== '' || restriction || excess) await alerts.announce();
  return 'booked';
}

/** Returns the parts of the posting that charge the fee of the service for a credit. Money in suspense is free. */
async function receiptFeePosting(
  { fees }: InvoiceContext,
  target: SettlementTarget,
  { id, amountMsat, lntx }: { readonly id: string; readonly amountMsat: Msat; readonly lntx?: string | undefined },
): Promise<FeePosting> {
  const receiver = receiverOf(target);
  const quoted = receiver && (await fees.quote(receiver.walletId, 'ln_in', amountMsat));
  if (!quoted) return fees.posting(undefined);
  const wallet = { id: receiver.walletId, ledgerAccount: receiver.ledgerAccount };
  return fees.posting({ ...quoted, direction: 'ln_in', wallet, source: { transferId: id, side: 'to' }, lntx });
}

/** Returns the wallet that a settlement is credited to; undefined for suspense. */
function receiverOf({ invoice, wallet }: SettlementTarget): Pick<Invoice, 'walletId' | 'ledgerAccount'> | undefined {
  return invoice ?? (wallet && { walletId: wallet.id, ledgerAccount: wallet.ledgerAccount });
}

/** Returns the alert for a credit beyond a limit of the receiving wallet. */
async function excessOf(context: InvoiceContext, target: SettlementTarget, amountMsat: Msat) {
  const receiver = receiverOf(target);
  return receiver && overLimitAlert(context, receiver, amountMsat);
}

/** Money that a node has received cannot be refused. @returns the alert if the state of the receiving account does not allow receiving */
async function restrictionOf({ database }: InvoiceContext, target: SettlementTarget) {
  const subject = receiverOf(target)?.walletId;
  const status = subject === undefined ? undefined : await findReceivingRestriction(database, subject);
  return subject !== undefined && status && { kind: 'received_restricted' as const, subject, state: status };
}

/** Returns the row that a credit changes, and its side of the transfer. */
function creditOf(context: InvoiceContext, settlement: SettlementAtNode, { invoice, wallet, reported }: SettlementTarget) {
  const { paymentHash, amountMsat, settledAt, preimage, nodeId, keysend } = settlement;
  if (invoice) {
    const statement = reported ? sql.settleReported : sql.settleFromOutside;
    const parameters = [invoice.id, amountMsat, preimage, settledAt];
    return { row: { statement, parameters }, to: invoice.ledgerAccount, toLntx: invoice.id, toType: invoice.wtxType };
  }
  if (wallet) {
    const id = `lntx_${newId(context.clock.nowMs())}`;
    const row = { statement: sql.insertReceived.settled, parameters: receivedParameters(context, settlement, wallet, id) };
    return { row, to: wallet.ledgerAccount, toLntx: id, toType: 'ln_deposit' };
  }
  const row = { statement: sql.insertUnmatched, parameters: [paymentHash, amountMsat, settledAt, nodeId, keysend ? 1 : 0] };
  return { row, to: SYSTEM_ACCOUNTS.suspense };
}

/** Returns whether a settlement with this payment hash was credited, to a wallet or to suspense. */
export async function isCredited({ database }: InvoiceContext, paymentHash: string): Promise<boolean> {
  return (await database.first(sql.findSettlement, paymentHash)) !== undefined;
}

/** Returns whether an internal payment settled the invoice. */
async function isPaidInternally({ database }: InvoiceContext, { id, paymentHash }: Invoice): Promise<boolean> {
  return (await database.first(sql.findInternalPayment, paymentHash, id)) !== undefined;
}

/** The TLV records with the id of the wallet, as podcast apps and old clients send them (bLIP 10 and its custom keys). */
const WALLET_RECORDS = ['696969', '112111100', '112111100102'];

/** In lndhub.go this record has the login of the receiver. Podcasts name it in their feeds. */
const LOGIN_RECORD = '696969';
const MAX_LOGIN = 128;

function recordText(records: CustomRecords, type: string): string {
  return Buffer.from(records[type] ?? '', 'hex')
    .toString('utf8')
    .trim();
}

/**
 * Routes a keysend to the wallet whose id is in one of its records, or whose login in lndhub.go, which `findByLogin` returns; otherwise to
 * `fallbackWalletId`.
 */
export function keysendRouting(
  wallets: Wallets,
  fallbackWalletId: string | undefined,
  findByLogin: (login: string) => Promise<string | undefined> = async () => undefined,
): KeysendRouting {
  return async (records) => {
    for (const id of walletIdsIn(records)) {
      const wallet = await wallets.find(id);
      if (wallet) return wallet;
    }
    const login = recordText(records, LOGIN_RECORD);
    const ofLogin = login.length > 0 && login.length <= MAX_LOGIN ? await findByLogin(login) : undefined;
    if (ofLogin !== undefined) return wallets.find(ofLogin);
    return fallbackWalletId === undefined ? undefined : wallets.find(fallbackWalletId);
  };
}

/** Only ids are accepted. A key would be stored by the node with the payment's records. */
export function walletIdsIn(records: CustomRecords): string[] {
  const texts = WALLET_RECORDS.map((type) => recordText(records, type));
  return texts.filter((id) => /^walx?_[0-9A-Za-z]{1,40}$/.test(id));
}
