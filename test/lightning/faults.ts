import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OutsidePayment, PlaygroundControl } from '../../devnet/test-network.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, type ServiceProcess, startProcess } from '../support/process.ts';
import { type Attempt, checkAttempts, checkLedger, statusOf } from './attempts.ts';

/** A real node below the service. The test starts and stops its network. */
export interface NodeUnderFaults {
  /** Controls the nodes outside. */
  readonly control: PlaygroundControl;
  readonly lightningUrl: string;
  /** Kills or stops the node, starts it again, and waits until it can pay. */
  restart(how: 'kill' | 'stop'): Promise<void>;
  /** Freezes the node or lets it continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends the network. */
  stop(): Promise<void>;
}

export interface FaultSuite {
  /** The node's software, such as `LND`. */
  readonly software: string;
  /** Why the suite cannot run; undefined if it can. */
  readonly cannotRun: string | undefined;
  /** The number of faults on each database. */
  readonly faults: number;
  /** A payment that stays pending for this long is stuck. */
  readonly quietMs: number;
  /** Starts the network in a directory. */
  start(directory: string, dialect: Dialect): Promise<NodeUnderFaults>;
}

const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const WORKERS = 6;
const DEPOSIT_SAT = 600_000;
const INCOMING_SAT = 700;
const FAULTS = ['kill the node', 'stop the node', 'freeze the node', 'kill the service', 'stop the service', 'kill both'] as const;
/** The service notices the longer one: it is longer than its time limit for identifying a node. */
const FREEZES_MS = [800, 7000];
const POLL_MS = 5000;
const END_MS = 15 * 60_000;

/** Kills, stops and freezes a real node, and kills the service, while payments go in and out, on both databases. */
export function faultSuite(suite: FaultSuite): void {
  describe.each(['sqlite', 'postgres'] as const)(`faults of ${suite.software} and of the service (%s)`, (dialect) => {
    const { cannotRun } = suite;
    if (cannotRun !== undefined) {
      it('are not tested', ({ skip }) => skip(cannotRun));
      return;
    }
    const urls = freshUrls(dialect);
    const directory = mkdtempSync(join(tmpdir(), 'satchel-faults-'));
    let node: NodeUnderFaults | undefined;
    let load: Load | undefined;

    beforeAll(async () => {
      node = await suite.start(join(directory, 'network'), dialect);
      load = await Load.begin(node, await processSettings(join(directory, 'data'), await urls()));
      await load.openWallets();
    }, 300_000);

    afterAll(async () => {
      await load?.end();
      await node?.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    it(`${suite.faults} of them charge nothing twice, lose nothing, and leave only payments that are alerted with evidence`, async () => {
      const running = load as Load;
      await running.during(async () => {
        for (let i = 0; i < suite.faults; i++) {
          await delay(1000 + ((i * 379) % 3000));
          await running.fault(i);
        }
      });
      const stuck = await running.stuckPayments(suite.quietMs);
      await running.expectAlerts(stuck);
      const counts = await running.compareWithOutside();
      console.log(`${suite.software}, ${dialect}, ${suite.faults} faults: ${JSON.stringify({ ...counts, stuck: stuck.length })}`);
    }, 3_600_000);
  });
}

/** Customers that pay and are paid all the time. */
class Load {
  readonly #node: NodeUnderFaults;
  readonly #settings: Record<string, string>;
  readonly #wallets: TestWallet[] = [];
  readonly #attempts: Attempt[] = [];
  #service: ServiceProcess;
  #isRunning = false;

  static async begin(node: NodeUnderFaults, own: Record<string, string>): Promise<Load> {
    const settings = {
      ...own,
      LIGHTNING_URL: node.lightningUrl,
      BOOTSTRAP_SECRET_KEY: KEY,
      STUCK_PAYMENT_SECONDS: '1',
      LOG_LEVEL: 'error',
    };
    return new Load(node, settings, await startProcess(settings));
  }

  private constructor(node: NodeUnderFaults, settings: Record<string, string>, service: ServiceProcess) {
    this.#node = node;
    this.#settings = settings;
    this.#service = service;
  }

  async end(): Promise<void> {
    await this.#service.kill();
  }

  /** Pays and is paid until the work has ended. */
  async during(work: () => Promise<void>): Promise<void> {
    this.#isRunning = true;
    const paying = this.#wallets.map((wallet) => this.#payRepeatedly(wallet));
    await work();
    this.#isRunning = false;
    await Promise.all(paying);
  }

  /** Causes the fault with this number. */
  async fault(number: number): Promise<void> {
    const name = FAULTS[number % FAULTS.length];
    if (name === 'freeze the node') {
      this.#node.signal('SIGSTOP');
      await delay(FREEZES_MS[Math.floor(number / FAULTS.length) % FREEZES_MS.length]);
      this.#node.signal('SIGCONT');
      return;
    }
    const isOfNode = name === 'kill the node' || name === 'stop the node';
    if (name === 'stop the service') await this.#service.stop();
    else if (!isOfNode) await this.#service.kill();
    if (isOfNode || name === 'kill both') await this.#node.restart(name === 'stop the node' ? 'stop' : 'kill');
    if (!isOfNode) this.#service = await startProcess(this.#settings);
  }

  /** Waits until the same payments have been pending for `quietMs`, and no payment of an outside node is. Returns them. */
  async stuckPayments(quietMs: number): Promise<Attempt[]> {
    const deadline = Date.now() + END_MS;
    let pending: Attempt[] = [];
    for (let since = Date.now(); Date.now() < deadline; await delay(POLL_MS)) {
      const now = await this.#pendingPayments();
      if (!isDeepStrictEqual(now, pending)) since = Date.now();
      pending = now;
      const isQuiet = pending.length === 0 || Date.now() - since >= quietMs;
      if (isQuiet && !(await this.#outside()).some(({ direction, state }) => direction === 'sent' && state === 'pending')) return pending;
    }
    throw new Error(`payments have not ended: ${pending.length}`);
  }

  /**
   * Expects that each payment was charged if and only if its receiver has it, each received payment credited if and only if its payer has paid
   * it, and that all balances are their sums. Returns the number of payments with each outcome.
   */
  async compareWithOutside(): Promise<object> {
    const { client } = this.#service;
    const { changesMsat, ...counts } = await checkAttempts(client, this.#attempts, await this.#outside());
    for (const { id } of this.#wallets) {
      const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${id}`);
      expect([id, balance_msat + pending_msat]).toEqual([id, DEPOSIT_SAT * 1000 + (changesMsat.get(id) ?? 0)]);
    }
    return counts;
  }

  /** Expects that ledger and node agree, and an alert with evidence for each stuck payment and no other. */
  async expectAlerts(stuck: readonly Attempt[]): Promise<void> {
    const { alerts } = await checkLedger(this.#settings);
    const messages: string[] = alerts.filter(({ kind }) => kind === 'payment_stuck').map(({ message }) => message);
    expect(messages).toHaveLength(stuck.length);
    for (const message of messages) expect(message).toContain('No channel has an HTLC with this payment hash. Yes');
  }

  async openWallets(): Promise<void> {
    for (let i = 0; i < WORKERS; i++) await this.#openWallet();
  }

  async #openWallet(): Promise<void> {
    const wallet = await this.#service.client.wallet();
    const { payment_request } = await this.#post(wallet, 'invoice', { num_satoshis: DEPOSIT_SAT });
    await this.#node.control.payInvoice({ paymentRequest: payment_request, from: 'alice' });
    const balance = async () => (await this.#service.client.get(`/v1/wallet/${wallet.id}`)).balance;
    await vi.waitUntil(async () => (await balance()) === DEPOSIT_SAT, { timeout: 150_000, interval: 100 });
    this.#wallets.push(wallet);
  }

  /** Requests fail while the node or the service is down. */
  async #payRepeatedly(wallet: TestWallet): Promise<void> {
    for (let turn = 0; this.#isRunning; turn++) {
      await (turn % 3 === 2 ? this.#receive(wallet) : this.#pay(wallet, turn)).catch(() => delay(500));
    }
  }

  async #pay(wallet: TestWallet, turn: number): Promise<void> {
    const amountMsat = 1_000_000 + turn;
    const invoice = { at: 'alice', amountMsat: msat(amountMsat), memo: '', expirySeconds: 3600, hold: false } as const;
    const { paymentRequest, paymentHash } = await this.#node.control.createInvoice(invoice);
    this.#attempts.push({ paymentHash, amountMsat, from: wallet.id });
    await this.#post(wallet, 'withdraw', { payment_request: paymentRequest });
  }

  async #receive(wallet: TestWallet): Promise<void> {
    const { payment_request } = await this.#post(wallet, 'invoice', { num_satoshis: INCOMING_SAT });
    this.#attempts.push({ paymentHash: decodeBolt11(payment_request).paymentHash, amountMsat: INCOMING_SAT * 1000, to: wallet.id });
    await this.#node.control.payInvoice({ paymentRequest: payment_request, from: 'alice' });
  }

  /** @throws when the service rejects the request, or does not respond. */
  async #post(wallet: TestWallet, path: string, json: object): Promise<Json> {
    const options = { key: KEY, json, headers: { prefer: 'respond-async' } };
    const { status, body } = await this.#service.client.request('POST', `/v1/wallet/${wallet.id}/${path}`, options);
    if (status >= 300) throw new Error(`${body.type}: ${body.message}`);
    return body;
  }

  async #outside(): Promise<OutsidePayment[]> {
    return (await this.#node.control.payments(0, 100_000)).filter(({ node }) => node === 'alice');
  }

  async #pendingPayments(): Promise<Attempt[]> {
    const { client } = this.#service;
    const pending: Attempt[] = [];
    for (const one of this.#attempts) if (one.from !== undefined && (await statusOf(client, one)) === 'pending') pending.push(one);
    return pending;
  }
}
