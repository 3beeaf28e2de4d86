import { expect } from 'vitest';
import type { OutsidePayment } from '../../devnet/test-network.ts';
import type { Client, Json } from '../support/client.ts';
import { runSatchel, runVerify } from '../support/process.ts';

/** A payment that a test has requested, whatever the response was. `from` and `to` are wallets; without one, that side is alice. */
export interface Attempt {
  readonly paymentHash: string;
  readonly amountMsat: number;
  readonly from?: string;
  readonly to?: string;
}

/** `none`: the service has no such payment. An invoice that was not paid is pending. */
export type AttemptStatus = 'settled' | 'failed' | 'pending' | 'open' | 'none';

export async function statusOf(client: Client, { paymentHash }: Attempt): Promise<AttemptStatus> {
  const { status, body } = await client.request('GET', `/v1/lntx/${paymentHash}`, { key: client.secretKey });
  // Alice is a direct peer, and payments inside are free.
  if (body.status === 'settled') expect([paymentHash, body.fee_msat ?? 0]).toEqual([paymentHash, 0]);
  return status === 404 ? 'none' : body.status;
}

export interface AttemptCounts {
  readonly out: Readonly<Record<AttemptStatus, number>>;
  readonly in: Readonly<Record<AttemptStatus, number>>;
  readonly inside: Readonly<Record<AttemptStatus, number>>;
  /** The change of each wallet's balance and holds together. */
  readonly changesMsat: ReadonlyMap<string, number>;
}

/** Requires that exactly those attempts are settled that alice has received or sent. */
export async function checkAttempts(
  client: Client,
  attempts: readonly Attempt[],
  outside: readonly OutsidePayment[],
): Promise<AttemptCounts> {
  const states = new Map(outside.filter(({ node }) => node === 'alice').map((one) => [`${one.direction} ${one.paymentHash}`, one.state]));
  const none = { settled: 0, failed: 0, pending: 0, open: 0, none: 0 };
  const counts = { out: { ...none }, in: { ...none }, inside: { ...none } };
  const changesMsat = new Map<string, number>();
  for (const attempt of attempts) {
    const { paymentHash, amountMsat, from, to } = attempt;
    const kind = from === undefined ? 'in' : to === undefined ? 'out' : 'inside';
    const [received, sent] = [states.get(`received ${paymentHash}`), states.get(`sent ${paymentHash}`)];
    const message = `${kind} ${paymentHash}; at alice received: ${received}, sent: ${sent}`;
    const succeeded = [...(received === 'succeeded' ? ['received'] : []), ...(sent === 'succeeded' ? ['sent'] : [])];
    // The service may still have to read the event of an incoming payment.
    await expect.poll(async () => expectedAtAlice(kind, await statusOf(client, attempt)), { message }).toEqual(succeeded);
    const status = await statusOf(client, attempt);
    counts[kind][status] += 1;
    if (status !== 'settled') continue;
    if (from !== undefined) changesMsat.set(from, (changesMsat.get(from) ?? 0) - amountMsat);
    if (to !== undefined) changesMsat.set(to, (changesMsat.get(to) ?? 0) + amountMsat);
  }
  return { ...counts, changesMsat };
}

/** Returns the payments that alice must have. A payment that is stuck was not received. */
function expectedAtAlice(kind: 'in' | 'out' | 'inside', status: AttemptStatus): readonly OutsidePayment['direction'][] {
  if (status !== 'settled' || kind === 'inside') return [];
  return kind === 'in' ? ['sent'] : ['received'];
}

/** Requires that `verify` finds nothing and that ledger and nodes agree. Returns the report and the open alerts. */
export async function checkLedger(settings: Record<string, string>): Promise<{ report: Json; alerts: Json[] }> {
  expect(await runVerify(settings)).toMatchObject({ code: 0 });
  const { report, alerts }: Json = JSON.parse((await runSatchel(['reconcile', '--json'], settings)).stdout);
  const agreed = { incomplete_reason: null, contradictions: [], missed_settlements: [], fell_msat: 0 };
  for (const node of report.nodes) expect(node).toMatchObject(agreed);
  // Nodes of the test network hold keysends, which their operators should not.
  return { report, alerts: alerts.filter(({ kind }: Json) => kind !== 'node_setting') };
}
