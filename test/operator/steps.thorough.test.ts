import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { type Action, findAction, type NewAction } from '../../src/features/operator/actions.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { NODE_ID } from '../support/modules.ts';
import { execute, operatorOn } from './operator-on.ts';

type Rig = Awaited<ReturnType<typeof operatorOn>>;
type Row = Record<string, string | number | null>;

const MAX_TRIES = 20;
const lostTransfers: Statement<Row> = statement(
  'test_lost_transfers',
  `SELECT id FROM operator_action WHERE state = 'done' AND kind IN ('credit', 'return') AND transfer_id IS NULL`,
);

/** Executes an action until it has ended, as the service does with its next polls. */
async function untilEnded(rig: Rig, { id }: Action): Promise<Action> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const now = (await findAction(rig.healthy, id)) as Action;
    if (now.ended_at !== null) return now;
    await execute(rig.deps, now).catch(() => undefined);
    await rig.settle();
  }
  throw new Error(`the action ${id} has not ended`);
}

/** An action to interrupt, and what must hold after its end. */
interface Interrupted {
  readonly action: Pick<NewAction, 'kind' | 'subject'> & Partial<NewAction>;
  check(ended: Action): Promise<void>;
}

async function creditOf(rig: Rig): Promise<Interrupted> {
  const [wallet, { subject }] = [await rig.newWallet(), await rig.unmatched('credit', 20_000)];
  const before = await rig.suspenseMsat();
  return {
    action: { kind: 'credit', subject, target: wallet.id },
    async check(ended) {
      expect(ended).toMatchObject({ state: 'done', amount_msat: 20_000 });
      expect([before - (await rig.suspenseMsat()), await rig.balanceMsat(wallet)]).toEqual([20_000, 20_000]);
    },
  };
}

async function returnOf(rig: Rig, script: object = {}): Promise<Interrupted> {
  const { subject } = await rig.unmatched('credit', 20_000);
  const { paymentRequest, paymentHash } = rig.net.outside.invoice({ amountMsat: 15_000, script: { fee: 0, ...script } });
  const before = await rig.suspenseMsat();
  return {
    action: { kind: 'return', subject, target: paymentRequest },
    async check(ended) {
      const isPaid = rig.net.state().outsideInvoices[paymentHash]?.state === 'settled';
      expect(ended.state).toBe(isPaid ? 'done' : 'refused');
      expect(before - (await rig.suspenseMsat())).toBe(isPaid ? 15_000 : 0);
    },
  };
}

async function resolveOf(rig: Rig): Promise<Interrupted> {
  const payment = await rig.pendingPayment(20_000);
  const before = await rig.balanceMsat(rig.wallet);
  // The node never ends it, so only the action does.
  rig.net.always('collectEvidence', {
    instead: { items: [{ fact: 'No channel has an HTLC.', holds: true, detail: '' }], provesFailure: true },
  });
  return {
    action: { kind: 'resolve', subject: payment.id, target: 'failed' },
    async check(ended) {
      rig.net.always('collectEvidence', undefined);
      expect(ended).toMatchObject({
        state: 'done',
        answer: expect.stringContaining('status `failed`'),
        evidence: expect.stringContaining('No channel has an HTLC'),
      });
      expect(await rig.deps.payments.find(payment.id)).toMatchObject({ state: 'failed' });
      expect(await rig.balanceMsat(rig.wallet)).toBe(before);
      rig.net.outside.resolveHold(payment.paymentHash, 'cancel');
    },
  };
}

async function drainOf(): Promise<Interrupted> {
  return {
    action: { kind: 'drain', subject: NODE_ID },
    check: async (ended) => expect(ended).toMatchObject({ state: 'done', answer: `${NODE_ID} gets no new wallets.` }),
  };
}

onBothDatabases('an action whose statements fail', (open) => {
  it.each([
    ['credit', creditOf],
    ['return', returnOf],
    ['return whose payment fails', (rig: Rig) => returnOf(rig, { fail: 'NO_ROUTE' })],
    ['resolve', resolveOf],
    ['drain', drainOf],
  ])('ends a %s once, although any one of its statements fails', async (_, prepare) => {
    const rig = await operatorOn((await open()) as Database);
    for (const fails of ['before', 'after'] as const) {
      for (let number = 1, hasFailed = true; hasFailed; number++) {
        const { action, check } = await prepare(rig);
        const requested = await rig.request(action);
        rig.database.failAt({ statement: number, fails });
        const ended = await untilEnded(rig, requested);
        hasFailed = rig.database.happened() > 0;
        rig.database.failAt();
        await check(ended);
      }
    }
    expect(await rig.healthy.all(lostTransfers)).toEqual([]);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });
});
