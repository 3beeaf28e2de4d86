import type { Msat } from '../../../src/core/kernel/money.ts';
import type { HttpResponse, TestWallet } from '../../support/client.ts';
import type { Lane } from './lane.ts';

/** A prepared operation. */
export interface Attempt {
  /** Requests it. @returns the response, if it has one. May throw when the service is killed. */
  request(): Promise<HttpResponse | undefined>;
  /** Returns the response that the client gets in the end, after the service was killed during its request and started again. */
  recover?(): Promise<HttpResponse>;
  /** Checks what was sent to others, once nothing is waiting to be sent. */
  check?(): void;
  /** The payment hash, if it is known in advance. */
  readonly paymentHash?: string;
  readonly amountMsat: number;
}

export interface Operation {
  readonly name: string;
  /** The movement of money: `out` of the first wallet, `in` to the second, `inside` from the first to the second, `none`. */
  readonly moves: 'out' | 'in' | 'inside' | 'none';
  /** The outcome if the service has started it. */
  readonly ends: 'paid' | 'failed';
  /**
   * The initiator. `service`: a request of a client, which may be lost without any effect. `outside`: a payer, or a client whose attempt recovers;
   * it continues until the outcome is known.
   */
  readonly startedBy: 'service' | 'outside';
  /** For a hold invoice: the decision of its receiver once it is paid. */
  readonly hold?: 'settle' | 'cancel';
  /** Whether the node reports the payment before it can prove it. */
  readonly isFinalLater?: boolean;
  /** Whether instances claim its work from the queue of tasks, as often as it takes. */
  readonly usesTasks?: boolean;
  prepare(lane: Lane, wallets: Wallets, numSatoshis: number): Promise<Attempt>;
}

export interface Wallets {
  readonly payer: TestWallet;
  readonly receiver: TestWallet;
}

export function msatOf(numSatoshis: number): Msat {
  return (numSatoshis * 1000) as Msat;
}

/** Creates an invoice of carol, a node behind alice, so that there is a routing fee. */
export function outsideInvoice(lane: Lane, numSatoshis: number, more: { readonly hold?: boolean; readonly descriptionHash?: string } = {}) {
  return lane.outside.createInvoice({ amountMsat: msatOf(numSatoshis), memo: '', at: 'carol', expirySeconds: 3600, hold: false, ...more });
}

export async function pubkeyOfCarol(lane: Lane): Promise<string | undefined> {
  return (await lane.outside.describe()).nodes.find(({ name }) => name === 'carol')?.pubkey;
}

/** Retries, because the payer waits for the claim of our node, and a killed service does not decide. */
export async function outsideStarts(lane: Lane, paid: Promise<unknown>): Promise<undefined> {
  await Promise.race([paid, lane.dead]);
}
