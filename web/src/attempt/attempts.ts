import { api, isLoggedOut, type WalletTransaction } from '../api/client.ts';
import { endSession } from '../api/session.tsx';
import { type Attempt, type AttemptEvent, advance, hasEnded, isOpen, nextAction, type Reply } from './attempt.ts';
import { replyOfError, replyOfPayment, replyOfTransaction, replyToRequest } from './reply.ts';

/*
 * The attempts of this tab. They are kept in the storage of the tab before their request is sent, so that a reload continues them. They
 * belong to an account: another account that logs in in the same tab does not get them.
 */

/** In `passThru` of each payment, so that its attempt is found in the history. The service returns it in no response. */
export const ATTEMPT_FIELD = 'dashboard_attempt';

/** Longer than the service waits for the end of a payment. */
const REQUEST_TIMEOUT_MS = 75_000;
const WAIT_SECONDS = 30;
const MAX_ENDED = 30;

const attempts = new Map<string, Attempt>();
const listeners = new Set<() => void>();

/** Calls `listener` after each change of an attempt. */
export function onAttempts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function nameOf(accountId: string, id: string): string {
  return `attempt ${accountId} ${id}`;
}

/** Returns an attempt of this tab. One of which an earlier page waited for the response is in doubt. */
export function findAttempt(accountId: string, id: string): Attempt | undefined {
  const name = nameOf(accountId, id);
  const known = attempts.get(name);
  if (known) return known;
  const stored = read(name);
  if (!stored) return undefined;
  const restored = advance(stored, { type: 'restored' });
  attempts.set(name, restored);
  return restored;
}

export function saveAttempt(accountId: string, attempt: Attempt): void {
  const name = nameOf(accountId, attempt.id);
  attempts.set(name, attempt);
  try {
    sessionStorage.setItem(name, JSON.stringify(attempt));
    removeOldEnded();
  } catch {
    // Without storage a reload finds the attempt in the history.
  }
  for (const listener of listeners) listener();
}

/** Returns the attempts of a wallet that have been sent and have not ended, the newest first. */
export function openAttempts(accountId: string, walletId: string): Attempt[] {
  const prefix = nameOf(accountId, '');
  const ids = names()
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
  const found = ids.map((id) => findAttempt(accountId, id)).filter((attempt) => attempt !== undefined);
  return found.filter((attempt) => isOpen(attempt) && attempt.order.fields.key === walletId).sort((a, b) => b.createdAt - a.createdAt);
}

/** Sends the request of an attempt, unless it has been sent. */
export async function sendAttempt(accountId: string, id: string): Promise<void> {
  const before = findAttempt(accountId, id);
  if (!before) return;
  const attempt = apply(accountId, before, { type: 'sent', at: Date.now() });
  if (attempt === before) return;
  const reply = await request(attempt);
  const answered = apply(accountId, attempt, { type: 'answered', reply });
  if (reply.kind === 'refused' && reply.refusal.status === 401 && !hasEnded(answered)) endSession();
}

/** Does what an open attempt needs next: repeats its request, reads the history, or waits for the end of its payment. */
export async function continueAttempt(accountId: string, id: string, signal: AbortSignal): Promise<void> {
  const attempt = findAttempt(accountId, id);
  const action = attempt && nextAction(attempt, Date.now());
  if (!attempt || !action) return;
  try {
    const { progress } = attempt;
    if (action === 'watch' && progress.step === 'pending' && progress.lntxId !== undefined) {
      const payment = await api.lightningTransactions.wait(progress.lntxId, { timeoutSeconds: WAIT_SECONDS, signal });
      apply(accountId, attempt, { type: 'answered', reply: replyOfPayment(payment) });
      return;
    }
    // The history also has a payment whose request is still being answered.
    const found = await transactionOf(attempt.id, walletOf(attempt), attempt.summary.paymentHash, signal);
    if (found || action === 'look') {
      apply(accountId, attempt, { type: 'looked', reply: found && replyOfTransaction(found), at: Date.now() });
      return;
    }
  } catch (error) {
    if (isLoggedOut(error) && !signal.aborted) endSession();
    return;
  }
  if (!signal.aborted) await sendAttempt(accountId, id);
}

/** Returns the attempt with an id that this tab does not know, such as that of a copied address, if its payment is in the history. */
export async function recoverAttempt(accountId: string, id: string, walletId: string, signal: AbortSignal): Promise<Attempt | undefined> {
  const found = await transactionOf(id, walletId, undefined, signal);
  if (!found) return undefined;
  const sats = Math.abs(found.num_satoshis);
  const attempt: Attempt = {
    id,
    order: { operation: 'withdraw', fields: { key: walletId } },
    summary: { sats, feeLimitMsat: 0, to: found.user_label, typed: '' },
    createdAt: found.created_at * 1000,
    progress: { step: 'unknown' },
    isInDoubt: true,
  };
  saveAttempt(accountId, advance(attempt, { type: 'looked', reply: replyOfTransaction(found), at: Date.now() }));
  return findAttempt(accountId, id);
}

/** Applies an event to the present state, which may have changed while a request was answered. */
function apply(accountId: string, { id }: Attempt, event: AttemptEvent): Attempt {
  const present = findAttempt(accountId, id);
  if (!present) throw new Error(`the attempt ${id} is gone`);
  const next = advance(present, event);
  if (next !== present) saveAttempt(accountId, next);
  return next;
}

async function request({ id, order: { operation, fields } }: Attempt): Promise<Reply> {
  let status = 0;
  const options = {
    idempotencyKey: id,
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    onResponse: (response: Response) => {
      status = response.status;
    },
  };
  const { key, ...others } = fields;
  const call = api.wallets[operation] as (wallet: string, fields: object, options: object) => Promise<unknown>;
  try {
    const body = await call(String(key), { ...others, passThru: { [ATTEMPT_FIELD]: id } }, options);
    return replyToRequest(status, body);
  } catch (error) {
    return replyOfError(error);
  }
}

/** Returns the payment of an attempt. An invoice is paid once, so a payment of its hash counts even if another attempt began it. */
async function transactionOf(
  id: string,
  key: string,
  paymentHash: string | undefined,
  signal: AbortSignal,
): Promise<WalletTransaction | undefined> {
  const find = async (filter: object) => {
    const listed = await api.wallets.listTransactions(key, { status: 'all', 'per-page': 100, ...filter }, { signal });
    return listed.filter(({ num_msat, wtxType }) => num_msat < 0 && wtxType.name !== 'network_fee');
  };
  const ofHash = paymentHash === undefined ? [] : await find({ payment_hash: paymentHash });
  const paid = ofHash.find(({ status }) => status === 'settled') ?? ofHash.find(({ status }) => status === 'pending');
  if (paid || (paymentHash !== undefined && ofHash.length === 0)) return paid;
  return (await find({ pass_through: { [ATTEMPT_FIELD]: id }, ...(paymentHash !== undefined && { payment_hash: paymentHash }) }))[0];
}

function walletOf({ order }: Attempt): string {
  return String(order.fields.key);
}

function names(): string[] {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith('attempt '));
  } catch {
    return [];
  }
}

function read(name: string): Attempt | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(name) ?? 'null') as Attempt | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function removeOldEnded(): void {
  const ended = names()
    .map((name) => ({ name, attempt: read(name) }))
    .filter(({ attempt }) => !attempt || !isOpen(attempt))
    .sort((a, b) => (b.attempt?.createdAt ?? 0) - (a.attempt?.createdAt ?? 0));
  for (const { name } of ended.slice(MAX_ENDED)) sessionStorage.removeItem(name);
}
