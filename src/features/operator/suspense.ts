import { readFact, writeOnce } from '../../core/db/facts.sql.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { type Msat, minMsat, msat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { SYSTEM_ACCOUNTS, type TransferOrder } from '../../core/ledger/ledger.ts';
import type { Bolt11 } from '../../core/lightning/bolt11/bolt11.ts';
import { NodeUnavailable } from '../../core/lightning/node.ts';
import { feeLimit, PAYMENT_FEE_RULE } from '../../core/payments/fee-limit.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { type Action, ActionRefused, findAction } from './actions.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';
import { findUnmatchedSettlement } from './unmatched-settlements.ts';

const RETURNS_WALLET = 'returns_wallet';

/** Another instance has executed this step. */
class ActedBefore extends Error {
  override readonly name = 'ActedBefore';
}

/** Credits the rest of a settlement in suspense to a wallet, in the posting that ends the action. */
export async function creditWallet(deps: OperatorModules, action: Action): Promise<void> {
  const { clock, ledger, wallets } = deps;
  const amountMsat = await leftInSuspense(deps, action.subject);
  const wallet = await wallets.find(action.target);
  if (!wallet) throw new ActionRefused(`There is no wallet ${action.target}.`);
  const transfer = outOfSuspense(action, wallet, amountMsat, clock.nowMs());
  const answer = `${amountMsat} msat were credited to ${wallet.id}.`;
  const parameters = [action.id, amountMsat, transfer.id, wallet.ledgerAccount, answer, unixSeconds(clock)];
  const row = { statement: sql.takeAndEnd, parameters, onMiss: new ActedBefore() };
  await postOnce(ledger.post({ rows: [row], transfers: [{ ...transfer, toType: 'ln_deposit', memo: 'Credited by the operator' }] }));
}

/**
 * Pays money in suspense to an invoice. The money moves to the operator's wallet for returns, and an ordinary payment of that wallet pays the
 * invoice, so an unknown outcome stays pending. The rest goes back to suspense.
 */
export async function continueReturn(deps: OperatorModules, action: Action): Promise<void> {
  if (action.state === 'requested') await fundReturn(deps, action);
  const funded = await findAction(deps.database, action.id);
  if (funded?.state === 'funded') await beginReturn(deps, funded);
  const paying = await findAction(deps.database, action.id);
  if (paying?.state === 'paying') await endReturn(deps, paying);
}

async function fundReturn(deps: OperatorModules, action: Action): Promise<void> {
  const { clock, ledger } = deps;
  const leftMsat = await leftInSuspense(deps, action.subject);
  const { amountMsat } = readInvoice(deps, action.target);
  if (amountMsat === undefined) throw new ActionRefused('The invoice must state its amount.');
  if (amountMsat > leftMsat) {
    throw new ActionRefused(
      `The invoice is for ${amountMsat} msat, but ${leftMsat} msat are left in suspense. Ask for an invoice of less, so that the routing fee is covered.`,
    );
  }
  const wallet = await returnsWallet(deps);
  const moved = minMsat(leftMsat, msat(amountMsat + feeLimit(PAYMENT_FEE_RULE, amountMsat)));
  const transfer = outOfSuspense(action, wallet, moved, clock.nowMs());
  const row = {
    statement: sql.takeForReturn,
    parameters: [action.id, moved, transfer.id, wallet.ledgerAccount],
    onMiss: new ActedBefore(),
  };
  await postOnce(ledger.post({ rows: [row], transfers: [{ ...transfer, toType: 'ln_transfer_in', memo: 'From suspense' }] }));
}

async function beginReturn(deps: OperatorModules, action: Action): Promise<void> {
  const wallet = await returnsWallet(deps);
  const movedMsat = amountOf(action);
  try {
    const invoice = readInvoice(deps, action.target);
    const started = await deps.payments.payInvoice({
      wallet,
      invoice,
      feeLimitMsat: msat(movedMsat - (invoice.amountMsat ?? movedMsat)),
      wtxType: 'ln_withdrawal',
      passThru: passThruOf(action),
      extraRows: (paymentId) => [{ statement: sql.beginPaying, parameters: [action.id, paymentId], onMiss: new ActedBefore() }],
    });
    if (started.isReplay) await endReturnWith(deps, action, movedMsat, 'refused', 'The invoice is being paid or was paid before.');
  } catch (error) {
    if (error instanceof ActedBefore) return;
    const isRefused = error instanceof Refusal || error instanceof NodeUnavailable || error instanceof ActionRefused;
    if (!isRefused) throw error;
    await endReturnWith(deps, action, movedMsat, 'refused', `Nothing was paid: ${error.message}`);
  }
}

async function endReturn(deps: OperatorModules, action: Action): Promise<void> {
  const payment = await deps.payments.find(action.paymentId ?? '');
  if (!payment || payment.state === 'pending') return;
  const movedMsat = amountOf(action);
  if (payment.state === 'failed') return endReturnWith(deps, action, movedMsat, 'refused', failureMessage(payment));
  const feeMsat = payment.feeMsat ?? 0;
  const answer = `${payment.amountMsat} msat were paid out by ${payment.id}, and ${feeMsat} msat for routing.`;
  await endReturnWith(deps, action, msat(movedMsat - payment.amountMsat - feeMsat), 'done', answer);
}

function failureMessage({ id, failureReason }: Payment): string {
  return `The payment ${id} failed (${failureReason}). The money is in suspense again.`;
}

/** Ends a return and moves the rest back to suspense, if the action still has the state that was read. */
async function endReturnWith(
  deps: OperatorModules,
  action: Action,
  backMsat: Msat,
  state: 'done' | 'refused',
  answer: string,
): Promise<void> {
  const { clock, ledger } = deps;
  const end = (id: string | null, words: string) => {
    const back = id === null ? null : backMsat;
    const parameters = [action.id, state, words, unixSeconds(clock), back, id, action.state];
    return { statement: sql.endReturn, parameters, onMiss: new ActedBefore() };
  };
  if (backMsat === 0) return postOnce(ledger.post({ rows: [end(null, answer)] }));
  const id = newId(clock.nowMs());
  const { ledgerAccount: from = 0 } = action;
  const own = { fromType: 'ln_transfer_out', memo: 'Back to suspense', passThru: passThruOf(action) };
  try {
    await postOnce(
      ledger.post({ rows: [end(id, answer)], transfers: [{ id, from, to: SYSTEM_ACCOUNTS.suspense, amountMsat: backMsat, ...own }] }),
    );
  } catch (error) {
    if (!(error instanceof Refusal && error.type === 'insufficient_balance')) throw error;
    // The owner of the wallet for returns has spent its balance meanwhile.
    await postOnce(
      ledger.post({ rows: [end(null, `${answer} ${backMsat} msat could not go back to suspense: the wallet for returns was emptied.`)] }),
    );
  }
}

/** Returns the rest of a settlement in suspense. @throws ActionRefused if there is none. */
async function leftInSuspense({ database }: OperatorModules, paymentHash: string): Promise<Msat> {
  const settlement = await findUnmatchedSettlement(database, paymentHash);
  if (!settlement) throw new ActionRefused('No money in suspense has this payment hash. `npm run suspense` lists what there is.');
  if (settlement.leftMsat <= 0)
    throw new ActionRefused(
      'Nothing of it is left in suspense. `npm run suspense -- --all` and GET /v1/operator/suspense?status=all show where it went.',
    );
  return msat(settlement.leftMsat);
}

function readInvoice({ payments }: OperatorModules, paymentRequest: string): Bolt11 {
  try {
    return payments.readInvoice(paymentRequest);
  } catch (error) {
    if (error instanceof Refusal) throw new ActionRefused(error.message);
    throw error;
  }
}

/** Returns the wallet from which returns are paid. It belongs to the first account and is created on first use. */
async function returnsWallet({ database, wallets }: OperatorModules): Promise<Wallet> {
  const known = (await database.first(readFact, RETURNS_WALLET))?.value;
  const account = known === undefined ? await database.first(sql.firstAccount) : undefined;
  if (account) {
    const fact = (id: string) => ({ statement: writeOnce, parameters: [RETURNS_WALLET, id], onMiss: new ActedBefore() });
    const { wallet } = await wallets.create(account.id, 'Returns from suspense', { extraRows: (made) => [fact(made.wallet.id)] });
    return wallet;
  }
  const wallet = known === undefined ? undefined : await wallets.find(known);
  if (!wallet) throw new Error('the wallet for returns is gone');
  return wallet;
}

function outOfSuspense(action: Action, wallet: Wallet, amountMsat: Msat, nowMs: number): TransferOrder {
  return { id: newId(nowMs), from: SYSTEM_ACCOUNTS.suspense, to: wallet.ledgerAccount, amountMsat, passThru: passThruOf(action) };
}

/** Returns a reference from the wallet transaction to the action. It does not contain the operator's reason. */
function passThruOf({ id, subject }: Action): string {
  return JSON.stringify({ operator_action: id, payment_hash: subject });
}

function amountOf({ amountMsat }: Action): Msat {
  return msat(amountMsat ?? 0);
}

async function postOnce(posted: Promise<unknown>): Promise<void> {
  try {
    await posted;
  } catch (error) {
    if (!(error instanceof ActedBefore)) throw error;
  }
}
