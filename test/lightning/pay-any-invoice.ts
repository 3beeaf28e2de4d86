import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PlaygroundControl } from '../../devnet/test-network.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { HttpResponse, TestWallet } from '../support/client.ts';
import { runVerify, type ServiceProcess } from '../support/process.ts';
import { acceptedInvoices } from './any-invoice.ts';

/** For invoices without an amount. */
const AMOUNT_MSAT = 2_000;
/** So many of the payments are of invoices of a node that exists. */
const REAL_EVERY = 50;
/** A payment of which nothing is known may wait five minutes for a late request, and a force-closed channel longer. */
const END_SECONDS = 900;

export interface StormOptions {
  readonly count: number;
  readonly seed: number;
  /** The payments at the same time. */
  readonly atOnce: number;
}

export interface Storm {
  /** How often each answer came: the status, and the type or the reason. */
  readonly answers: Readonly<Record<string, number>>;
  /** The texts of invoices of which a payment was started and failed as the node refused it. */
  readonly refused: readonly string[];
}

/**
 * Pays each invoice that the decoder accepts from one wallet, and requires that every payment ends, that nothing is held afterwards, and that the
 * outside nodes have received exactly what the service reports as settled.
 */
export async function payAnyInvoice(
  { service, wallet, settings, control }: PayAnyInvoice,
  { count, seed, atOnce }: StormOptions,
): Promise<Storm> {
  const { client } = service;
  const { nodes } = await control.describe();
  const keyOf = (name: string) => nodes.find((node) => node.name === name)?.pubkey ?? '';
  const invoices = acceptedInvoices(count, seed, { peers: [keyOf('alice'), keyOf('carol')], own: keyOf('hub') });
  const answers: Record<string, number> = {};
  const refused: string[] = [];
  const pending = new Map<string, string>();
  const hashes = new Set<string>();

  async function pay(text: string, amount: object): Promise<void> {
    const json = { payment_request: text, ...amount };
    const { status, body }: HttpResponse = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: client.secretKey,
      json,
    });
    const reason = body.type === 'payment_failed' ? String(body.message).split('.')[0] : (body.type ?? body.lnTx?.status);
    const answer = `${status} ${reason}`;
    answers[answer] = (answers[answer] ?? 0) + 1;
    if (status === 202) pending.set(body.lnTx.id, text);
    if (/REASON_(ERROR|TIMEOUT)/.test(String(reason))) refused.push(text);
    // Anything else would leave it open whether the payment ended.
    expect([201, 202, 400], `${JSON.stringify(body)} ${text}`).toContain(status);
  }

  const queue = invoices.entries();
  async function work(): Promise<void> {
    for (const [at, { text, invoice }] of queue) {
      hashes.add(invoice.paymentHash);
      await pay(text, invoice.amountMsat === undefined ? { num_msat: AMOUNT_MSAT } : {});
      if (at % REAL_EVERY !== 0) continue;
      const real = await control.createInvoice({ at: 'alice', amountMsat: msat(1000), memo: '', expirySeconds: 3600, hold: false });
      hashes.add(real.paymentHash);
      await pay(real.paymentRequest, {});
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));

  for (let seconds = 0; pending.size > 0 && seconds < END_SECONDS; seconds++) {
    for (const id of pending.keys()) {
      const { status } = await client.get(`/v1/lntx/${id}`);
      if (status === 'pending') continue;
      pending.delete(id);
      answers[`later ${status}`] = (answers[`later ${status}`] ?? 0) + 1;
    }
    if (pending.size > 0) await delay(1000);
  }
  expect([...pending.values()]).toEqual([]);
  expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ pending_msat: 0 });
  const received = (await control.payments(0, 100_000)).filter(({ direction, state }) => direction === 'received' && state === 'succeeded');
  for (const { paymentHash } of received) {
    if (!hashes.has(paymentHash)) continue;
    expect((await client.get(`/v1/lntx/${paymentHash}`)).status).toBe('settled');
  }
  expect(await runVerify(settings)).toMatchObject({ code: 0 });
  return { answers, refused };
}

export interface PayAnyInvoice {
  readonly service: ServiceProcess;
  readonly wallet: TestWallet;
  readonly settings: Record<string, string>;
  readonly control: PlaygroundControl;
}
