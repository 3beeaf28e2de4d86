import { readFact, writeOnce } from '../../core/db/facts.sql.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { type Msat, minMsat, msat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { type RowWrite, SYSTEM_ACCOUNTS, type TransferOrder } from '../../core/ledger/ledger.ts';
import type { Bolt11 } from '../../core/lightning/bolt11/bolt11.ts';
import { NodeUnavailable } from '../../core/lightning/node.ts';
import { feeLimit, PAYMENT_FEE_RULE } from '../../core/payments/fee-limit.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { type Action, ActionRefused, ExecutedElsewhere, readAction } from './actions.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';

const RETURNS_WALLET = 'returns_wallet';

/** Credits the rest of a settlement in suspense to a wallet, in the posting that ends the action. */
export async function creditWallet(modules: OperatorModules, action: Action): Promise<void> {
  const { clock, ledger, wallets } = modules;
  const amountMsat = await leftInSuspense(modules, action.subject);
  const wallet = await wallets.find(action.target);
  if (!wallet) throw new ActionRefused(`There is no wallet ${action.target}.`);
  const transfer = outOfSuspense(action, wallet, amountMsat, clock.nowMs());
  const answer = `${amountMsat} msat were credited to ${wallet.id}.`;
  const row = stepRow(sql.takeAndEnd, action.id, amountMsat, transfer.id, wallet.ledgerAccount, answer, unixSeconds(clock));
  const rows = [row, takenRow(action, amountMsat)];
  await ledger.post({ rows, transfers: [{ ...transfer, toType: 'ln_deposit', memo: 'Credited by the operator' }] });
}

/**
 * Pays money in suspense to an invoice. The money moves to the operator's wallet for returns, and an ordinary payment of that wallet pays the
 * invoice, so an unknown outcome stays pending. The rest goes back to suspense.
 */
export async function continueReturn(modules: OperatorModules, action: Action): Promise<void> {
  if (action.state === 'requested') await fundReturn(modules, action);
  const funded = await readAction(modules.database, action.id);
  if (funded.state === 'funded') await beginReturn(modules, funded);
  const paying = await readAction(modules.database, action.id);
  if (paying.state === 'paying') await endPaidReturn(modules, paying);
}

async function fundReturn(modules: OperatorModules, action: Action): Promise<void> {
  const { clock, ledger } = modules;
  const leftMsat = await leftInSuspense(modules, action.subject);
  const { amountMsat } = readInvoice(modules, action.target);
  if (amountMsat === undefined) throw new ActionRefused('The invoice must state its amount.');
  if (amountMsat > leftMsat) {
    throw new ActionRefused(
      `The invoice is for ${amountMsat} msat, but ${leftMsat} msat are left in suspense. Ask for an invoice of less, so that the routing fee is covered.`,
    );
  }
  const wallet = await returnsWallet(modules);
  const moved = minMsat(leftMsat, msat(amountMsat + feeLimit(PAYMENT_FEE_RULE, amountMsat)));
  const transfer = outOfSuspense(action, wallet, moved, clock.nowMs());
  const row = stepRow(sql.takeForReturn, action.id, moved, transfer.id, wallet.ledgerAccount);
  const rows = [row, takenRow(action, moved)];
  await ledger.post({ rows, transfers: [{ ...transfer, toType: 'ln_transfer_in', memo: 'From suspense' }] });
}

async function beginReturn(modules: OperatorModules, action: Action): Promise<void> {
  const wallet = await returnsWallet(modules);
  const movedMsat = msat(action.amount_msat ?? 0);
  try {
    const invoice = readInvoice(modules, action.target);
    const started = await modules.payments.payInvoice({
      wallet,
      invoice,
      isFree: true,
      feeLimitMsat: msat(movedMsat - (invoice.amountMsat ?? movedMsat)),
      wtxType: 'ln_withdrawal',
      passThru: passThruOf(action),
      extraRows: (paymentId) => [stepRow(sql.beginPaying, action.id, paymentId)],
    });
    if (started.isReplay) await endReturn(modules, action, movedMsat, 'refused', 'The invoice is being paid or was paid before.');
  } catch (error) {
    const isRefused = error instanceof Refusal || error instanceof NodeUnavailable || error instanceof ActionRefused;
    if (!isRefused) throw error;
    await endReturn(modules, action, movedMsat, 'refused', `Nothing was paid: ${error.message}`);
  }
}

async function endPaidReturn(modules: OperatorModules, action: Action): Promise<void> {
  const payment = await modules.payments.find(action.payment_id ?? '');
  if (!payment || payment.state === 'pending') return;
  const { id, amountMsat, feeMsat = 0 } = payment;
  const movedMsat = msat(action.amount_msat ?? 0);
  if (payment.state === 'failed') {
    const answer = `The payment ${id} failed (${payment.failureReason}). The money is in suspense again.`;
    return endReturn(modules, action, movedMsat, 'refused', answer);
  }
  const answer = `${amountMsat} msat were paid out by ${id}, and ${feeMsat} msat for routing.`;
  await endReturn(modules, action, msat(movedMsat - amountMsat - feeMsat), 'done', answer);
}

/** Ends a return and moves the rest back to suspense, if the action still has the state that was read. */
async function endReturn(
  { clock, ledger }: OperatorModules,
  action: Action,
  backMsat: Msat,
  state: 'done' | 'refused',
  answer: string,
): Promise<void> {
  const end = (words: string, back: Msat | null, transferId: string | null) =>
    stepRow(sql.endReturn, action.id, state, words, unixSeconds(clock), back, transferId, action.state);
  if (backMsat === 0) return void (await ledger.post({ rows: [end(answer, null, null)] }));
  const id = newId(clock.nowMs());
  const accounts = { from: action.ledger_account ?? 0, to: SYSTEM_ACCOUNTS.suspense };
  const details = { fromType: 'ln_transfer_out', memo: 'Back to suspense', passThru: passThruOf(action) };
  try {
    const rows = [end(answer, backMsat, id), stepRow(sql.putBackToSuspense, action.subject, backMsat)];
    await ledger.post({ rows, transfers: [{ id, ...accounts, amountMsat: backMsat, ...details }] });
  } catch (error) {
    if (!(error instanceof Refusal && error.type === 'insufficient_balance')) throw error;
    // The owner of the wallet for returns has spent its balance meanwhile.
    const lost = `${backMsat} msat could not go back to suspense: the wallet for returns was emptied.`;
    await ledger.post({ rows: [end(`${answer} ${lost}`, null, null)] });
  }
}

function takenRow({ subject }: Action, amountMsat: Msat): RowWrite {
  return stepRow(sql.takeFromSuspense, subject, amountMsat);
}

/** Returns a row that changes the state of an action in the posting of a step. @throws ExecutedElsewhere in the posting, on a second instance */
function stepRow(statement: RowWrite['statement'], ...parameters: RowWrite['parameters']): RowWrite {
  return { statement, parameters, onMiss: new ExecutedElsewhere() };
}

/** Returns the rest of a settlement in suspense. @throws ActionRefused if there is none. */
async function leftInSuspense({ database }: OperatorModules, paymentHash: string): Promise<Msat> {
  const settlement = await database.first(sql.findUnmatchedSettlement, paymentHash);
  if (!settlement) throw new ActionRefused('No money in suspense has this payment hash. `satchel suspense list` lists what there is.');
  if (settlement.left_msat > 0) return msat(settlement.left_msat);
  throw new ActionRefused(
    'Nothing of it is left in suspense. `satchel suspense list --all` and GET /v1/operator/suspense?status=all show where it went.',
  );
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
    const extraRows = (made: { wallet: Wallet }) => [stepRow(writeOnce, RETURNS_WALLET, made.wallet.id)];
    return (await wallets.create(account.id, 'Returns from suspense', { extraRows })).wallet;
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
