import { eventRow } from '../journal/events.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { notReceivedTransactionRow, reportedTransactionRow } from '../journal/wallet-transactions.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import { satText } from '../kernel/money.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import type { Settlement, SettlementFinality } from '../lightning/node.ts';
import * as responses from '../lightning/responses.ts';
import type { Wallet } from '../wallets/wallets.ts';
import type { ArrivingRow } from './arriving.sql.ts';
import * as sql from './arriving.sql.ts';
import type { Invoice } from './invoice.ts';
import * as invoiceSql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';

/** Money that a node has reported as received, in an event or in a lookup. */
export type SettlementDetails = Omit<Settlement, 'position'>;

/** The same, with the node of the ledger that reported it. */
export type SettlementAtNode = SettlementDetails & { readonly nodeId: string };

/** Where a settlement is credited: an invoice, or the wallet of a keysend or of a lost invoice. With neither, suspense. */
export interface SettlementTarget {
  readonly invoice?: Invoice | undefined;
  readonly wallet?: Wallet | undefined;
  /** What is stored about the payment because it was not final. */
  readonly reported?: ArrivingRow | undefined;
}

/** A payment that a wallet waits for is looked up in every round until it is that old. */
export const FRESH_SECONDS = 60;
/** The time between an operator's decision that a payment never arrived and the next lookup of it. */
const DECIDED_SECONDS = 60;

/** Asks the node whether a settlement is final. Without a response it is unknown. */
export async function readFinality(
  { connections }: InvoiceContext,
  { nodeId, paymentHash, htlcs }: SettlementAtNode,
  waitMs: number,
): Promise<SettlementFinality> {
  try {
    return await connections.of(nodeId).call((node) => responses.settlementFinality(node, { paymentHash, htlcs }, waitMs));
  } catch (error) {
    return { state: 'unknown', reason: errorMessage(error) };
  }
}

/**
 * Stores a reported payment that is not final yet, or that never arrived. Its wallet sees it, and its balance does not change. `ended`: an operator
 * has decided that it never arrived. The node is still asked, and if it reports the payment as final after all, it is credited.
 * @returns undefined when another request has changed the target meanwhile.
 */
export async function storeReport(
  context: InvoiceContext,
  settlement: SettlementAtNode,
  target: SettlementTarget,
  reason: 'arriving' | 'failed' | 'ended',
): Promise<'arriving' | 'failed' | undefined> {
  const { ledger, clock, alerts } = context;
  const state = reason === 'arriving' ? reason : 'failed';
  const { invoice, reported } = target;
  // A keysend that was stored for no wallet has no rows of a wallet, although one takes it by now.
  const wallet = reported ? undefined : target.wallet;
  const onMiss = new Error('the invoice was changed meanwhile');
  const lntx = invoice?.id ?? (wallet && `lntx_${newId(clock.nowMs())}`);
  const id = reported?.transfer_id ?? newId(clock.nowMs());
  const rows: RowWrite[] = [];
  const nextCheck = reason === 'ended' ? unixSeconds(clock) + DECIDED_SECONDS : null;
  if (reported) rows.push({ statement: sql.markFailed, parameters: [settlement.paymentHash, nextCheck], onMiss });
  else rows.push({ ...arrivingRow(context, settlement, { lntx, id, state, isCredited: false }), onMiss });
  if (lntx !== undefined) rows.push(...walletRows(context, settlement, target, state, { lntx, id, onMiss }));
  if (state === 'failed') {
    const message = `the node reported ${satText(settlement.amountMsat)} that never arrived; nothing was credited`;
    const details = {
      lntx_id: lntx,
      wallet_id: invoice?.walletId ?? wallet?.id,
      amount_msat: settlement.amountMsat,
      status: 'never_arrived',
    };
    rows.push(...alerts.rowsOf({ kind: 'invoice_contradicted', subject: lntx ?? settlement.paymentHash, message, details }));
  }
  const owner = invoice ?? wallet;
  const type = state === 'failed' ? 'wallet_receive_failure' : 'wallet_receive_pending';
  const event = owner && lntx !== undefined && eventRow(clock, { type, owner, subject: walletTransactionId(id, 'to'), lntx });
  try {
    await ledger.post({ rows, events: event ? [event] : [] });
  } catch (error) {
    if (error === onMiss) return undefined;
    throw error;
  }
  if (state === 'failed') await alerts.announce();
  return state;
}

interface Names {
  readonly lntx: string;
  /** The id of the transfer that will credit it. */
  readonly id: string;
  readonly onMiss: Error;
}

/** Returns the rows of the invoice and of the wallet transaction. */
function walletRows(
  context: InvoiceContext,
  settlement: SettlementAtNode,
  { invoice, wallet, reported }: SettlementTarget,
  state: 'arriving' | 'failed',
  { lntx, id, onMiss }: Names,
): RowWrite[] {
  if (reported) return [{ statement: invoiceSql.markNotReceived, parameters: [lntx], onMiss }, notReceivedTransactionRow(id)];
  const { amountMsat, preimage, settledAt } = settlement;
  const walletId = invoice?.walletId ?? wallet?.id ?? '';
  const payment = { id: lntx, transferId: id, walletId, wtxType: invoice?.wtxType ?? 'ln_deposit', amountMsat, memo: invoice?.memo ?? '' };
  const row = reportedTransactionRow(payment, state === 'arriving' ? 'pending' : 'failed', context.clock.nowMs());
  if (invoice) return [{ statement: invoiceSql.markReported[state], parameters: [lntx, amountMsat, preimage, settledAt], onMiss }, row];
  const parameters = wallet ? receivedParameters(context, settlement, wallet, lntx) : [];
  return [{ statement: invoiceSql.insertReceived[state], parameters, onMiss }, row];
}

/** Returns the parameters of {@link sql.insertReceived}. */
export function receivedParameters({ connections }: InvoiceContext, settlement: SettlementAtNode, wallet: Wallet, id: string) {
  const { paymentHash, amountMsat, settledAt, preimage, nodeId, keysend, customRecords } = settlement;
  const owner = [wallet.id, wallet.ledgerAccount, nodeId, connections.of(nodeId).identity().pubkey];
  // The text of a lost invoice is unknown.
  const kind = keysend ? [JSON.stringify(customRecords), 'keysend', 1] : [null, '', 0];
  return [id, ...owner, paymentHash, amountMsat, settledAt, preimage, ...kind];
}

interface Reported {
  readonly lntx: string | undefined;
  /** The id of the transfer that credits it. */
  readonly id: string;
  readonly state: 'arriving' | 'failed';
  readonly isCredited: boolean;
}

/** Returns the row of a payment that is not known to be final. */
export function arrivingRow(
  { clock }: InvoiceContext,
  { nodeId, ...settlement }: SettlementAtNode,
  { lntx, id, state, isCredited }: Reported,
): Pick<RowWrite, 'statement' | 'parameters'> {
  const { paymentHash, amountMsat } = settlement;
  const now = unixSeconds(clock);
  const of = [paymentHash, nodeId, state, lntx ?? null, id, amountMsat, isCredited ? 1 : 0];
  const nextCheck = state === 'failed' ? null : isCredited ? now : now + FRESH_SECONDS;
  return { statement: sql.insert, parameters: [...of, JSON.stringify(settlement), now, nextCheck, null] };
}
