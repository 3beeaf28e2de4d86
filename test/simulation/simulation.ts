import { setTimeout as delay } from 'node:timers/promises';
import { FakeNetwork, type FakeNetworkOptions } from '../../devnet/fake/fake.ts';
import { SteppedTime } from '../../devnet/fake/time.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { insertSchedule } from '../../src/core/fees/fees.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { type LimitFields, setLimits } from '../../src/core/limits/limits.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';
import { type FaultyDatabase, faulty } from '../support/faulty-database.ts';
import { problemsOf } from '../support/ledger.ts';
import { ACCOUNT, beginLife, type Life, openAccount } from './life.ts';
import type { Operation } from './operations.ts';

/** An invariant does not hold. The seed determines the operations that led there. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

type PaymentFact = { id: string; payment_hash: string; state: string; correction: string | null; invoice_id: string | null };
type InvoiceFact = { id: string; payment_hash: string; state: string; is_keysend: number };

const allPayments = statement<PaymentFact>(
  'test_all_payments',
  'SELECT id, payment_hash, state, correction, invoice_id FROM payment ORDER BY id',
);
const allInvoices = statement<InvoiceFact>('test_all_invoices', 'SELECT id, payment_hash, state, is_keysend FROM invoice ORDER BY id');
const allArriving = statement<{ payment_hash: string }>(
  'simulation_arriving',
  "SELECT payment_hash FROM arriving_payment WHERE state = 'arriving'",
);

const WALLETS = 5;
/** SQLite has one writing process. */
const INSTANCES = { sqlite: 1, postgres: 2 } as const;
const VERIFY_EVERY = 25;
/** After so many steps everything must have ended. PostgreSQL may need more real time than they take. */
const LAST_TURNS = 40;
const SLOW_TURNS = { sqlite: 0, postgres: 2000 } as const;

/** An outside invoice that was requested to be paid, and the responses to the requests. */
interface Requested {
  readonly net: FakeNetwork;
  readonly paymentRequest: string;
  readonly responses: ('started' | 'refused' | 'unclear')[];
}

export type SimulatedNetwork = Pick<FakeNetworkOptions, 'behaves' | 'rates'> & { readonly seed: number };

/** The instances of a service, their nodes and the outside nodes. Operations are applied one by one, and the invariants checked after each. */
export class Simulation {
  readonly #database: FaultyDatabase;
  /** The network of each node of the ledger, in the order of the nodes. */
  readonly #nets: readonly [FakeNetwork, ...FakeNetwork[]];
  readonly #nodeIds: string[] = [];
  readonly #time = new SteppedTime(1_700_000_000_000);
  readonly #lives: (Life | undefined)[];
  /** For each instance: the number of the operation at which it continues. */
  readonly #pausedUntil: number[] = [];
  #wallets: Wallet[] = [];
  readonly #links: { token: string; key: string }[] = [];
  readonly #invoiceIds: string[] = [];
  /** By payment hash. */
  readonly #requested = new Map<string, Requested>();
  readonly #ended = new Map<string, string>();
  readonly #firstBalancesMsat: readonly number[];
  #operations = 0;

  private constructor(database: Database, nets: readonly SimulatedNetwork[]) {
    this.#database = faulty(database);
    this.#lives = Array.from({ length: INSTANCES[database.dialect] }, () => undefined);
    const networkOf = (net: SimulatedNetwork | undefined, i: number) =>
      new FakeNetwork({ ...net, rates: {}, seed: `${net?.seed} ${i}`, time: this.#time });
    const [first, ...others] = nets;
    this.#nets = [networkOf(first, 0), ...others.map((net, i) => networkOf(net, i + 1))];
    this.#firstBalancesMsat = this.#nets.map(localMsat);
  }

  static async begin(database: Database, nets: readonly SimulatedNetwork[]): Promise<Simulation> {
    const simulation = new Simulation(database, nets);
    await openAccount(database);
    const life = await simulation.#living(0);
    // Without faults, the first start adds the nodes to the ledger in this order.
    for (const [i, { rates = {} }] of nets.entries()) simulation.#net(i).rates = rates;
    simulation.#nodeIds.push(...life.connections.all.map(({ nodeId }) => nodeId));
    for (let i = 0; i < WALLETS; i++) {
      const nodeId = simulation.#nodeIds[i % nets.length];
      simulation.#wallets.push((await life.wallets.create(ACCOUNT, `wallet ${i}`, { nodeId })).wallet);
    }
    await simulation.#setTerms();
    return simulation;
  }

  /** Sets fees for all wallets, other fees for one wallet, and limits that some payments exceed. `verify` compares both with the ledger. */
  async #setTerms(): Promise<void> {
    const clock = { nowMs: () => this.#time.nowMs() };
    const rule = { flatMsat: msat(3), proportionalMillionths: 12_345, minMsat: msat(5), maxMsat: msat(9_000), freeBelowMsat: msat(2_000) };
    const by = { accountId: ACCOUNT, madeBy: 'a test', reason: '' };
    const [first, second] = this.#wallets;
    await this.#database.transaction(async (tx) => {
      await insertSchedule(tx, clock, { ...by, ownerId: ACCOUNT, rules: { ln_out: rule, ln_in: rule, internal: rule, link: rule } });
      await insertSchedule(tx, clock, { ...by, ownerId: first?.id ?? '', rules: { ln_in: { ...rule, flatMsat: msat(700) } } });
      await setLimits(tx, clock, ACCOUNT, ACCOUNT, { ...NO_LIMITS, max_pending: 12 });
      await setLimits(tx, clock, second?.id ?? '', ACCOUNT, { ...NO_LIMITS, max_out_day_msat: 400_000, max_payment_msat: 150_000 });
    });
  }

  /** Applies one operation, and lets its effects run. @throws Broken */
  async step(operation: Operation): Promise<void> {
    this.#operations += 1;
    this.#unpauseDue();
    const instance = this.#operations % this.#lives.length;
    const life = await this.#living(instance);
    void this.#do(life, operation, instance).catch((error) => {
      if (!isExpected(error)) this.#unexpected ??= error;
    });
    await this.#settle();
    if (this.#unexpected) throw this.#unexpected;
    await this.#checkEnds();
    if (this.#operations % VERIFY_EVERY === 0) await this.#verify();
  }

  #unexpected: unknown;

  /** Ends all faults, waits until everything has ended, and compares the ledger with the outside nodes. @throws Broken */
  async end(): Promise<void> {
    this.#database.failAt();
    for (const net of this.#nets) net.calm();
    for (const life of this.#lives) life?.kill();
    for (const net of this.#nets) net.restart();
    const life = await this.#living(0);
    for (let turn = 0; turn < LAST_TURNS; turn++) await this.#calmTurn(life, turn);
    await this.#checkEnds();
    await this.#verify();
    for (let turn = 0; ; turn++) {
      try {
        await this.#compare(life);
        return;
      } catch (error) {
        if (turn >= SLOW_TURNS[this.#database.dialect]) throw error;
        await this.#calmTurn(life, turn);
      }
    }
  }

  async #calmTurn(life: Life, turn: number): Promise<void> {
    for (const hash of this.#requested.keys()) this.#resolve(hash, turn % 2 ? 'settle' : 'cancel');
    this.#time.advance(120_000);
    await this.#settle();
    await life.payments.resumePending();
    await this.#settle();
    // The job for arriving payments asks the node again.
    for (const { payment_hash } of await this.#database.all(allArriving)) void life.invoices.recheckArriving(payment_hash);
    await this.#settle();
    // Reconciliation compares ended payments with the node.
    for (const hash of this.#requested.keys()) life.payments.readAgain(hash);
    await this.#settle();
  }

  async #living(instance: number): Promise<Life> {
    const current = this.#lives[instance];
    if (current && !current.isDead) return current;
    this.#database.failAt();
    const life = await beginLife(this.#database, this.#nets);
    this.#lives[instance] = life;
    // A start resumes pending payments.
    void life.payments.resumePending();
    await this.#settle();
    return life;
  }

  #unpauseDue(): void {
    for (const [instance, life] of this.#lives.entries()) {
      if (this.#operations >= (this.#pausedUntil[instance] ?? 0)) life?.unpause();
    }
  }

  #wallet(index: number): Wallet {
    return this.#wallets[index % WALLETS] as Wallet;
  }

  /** The network of the wallet's node. */
  #netOf({ nodeId }: Wallet): FakeNetwork {
    return this.#net(this.#nodeIds.indexOf(nodeId));
  }

  #net(index: number): FakeNetwork {
    return this.#nets[index % this.#nets.length] ?? this.#nets[0];
  }

  async #do(life: Life, operation: Operation, instance: number): Promise<void> {
    switch (operation.do) {
      case 'deposit':
        return this.#deposit(life, operation);
      case 'keysend in': {
        const wallet = this.#wallet(operation.wallet);
        const id = operation.isForNobody ? 'wal_nobody' : wallet.id;
        const customRecords = { '696969': Buffer.from(id).toString('hex') };
        await this.#netOf(wallet).outside.keysend({ amountMsat: operation.msat, customRecords });
        return;
      }
      case 'pay': {
        const wallet = this.#wallet(operation.wallet);
        const net = this.#netOf(wallet);
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: operation.msat, script: operation.script });
        this.#requested.set(paymentHash, { net, paymentRequest, responses: [] });
        const limit = operation.feeLimitMsat === undefined ? {} : { feeLimitMsat: msat(operation.feeLimitMsat) };
        return this.#pay(life, wallet, paymentHash, limit);
      }
      case 'pay again': {
        const paymentHash = [...this.#requested.keys()][operation.which % Math.max(1, this.#requested.size)];
        return paymentHash === undefined ? undefined : this.#pay(life, this.#wallet(operation.wallet), paymentHash, {});
      }
      case 'keysend': {
        const wallet = this.#wallet(operation.wallet);
        const { nodes } = await this.#netOf(wallet).control.describe();
        const destination = nodes.find(({ name }) => name === 'alice')?.pubkey ?? '';
        const order = { wallet, destination, amountMsat: msat(operation.msat), customRecords: {} };
        await life.payments.keysend(order);
        return;
      }
      case 'inside':
        return this.#inside(life, operation);
      case 'transfer': {
        const [source, destination] = [this.#wallet(operation.from), this.#wallet(operation.to)];
        await life.payments.transfer({ source, destination, amountMsat: msat(operation.msat), memo: undefined, passThru: undefined });
        return;
      }
      case 'link': {
        const wallet = this.#wallet(operation.wallet);
        const { msat: amountMsat, uses = null, dailyMsat = null } = operation;
        const terms = {
          fiat: null,
          max_msat: amountMsat + 1_000,
          fee_limit_msat: null,
          uses,
          daily_limit_msat: dailyMsat,
          memo: '',
          user_label: '',
          pass_thru: null,
        };
        const { secrets } = await life.links.create({ wallet, terms, expirySeconds: undefined, guards: [], madeBy: undefined });
        this.#links.push({ token: secrets.ott, key: wallet.id });
        return;
      }
      case 'claim':
        return this.#claim(life, operation);
      case 'resolve': {
        const hash = [...this.#requested.keys()][operation.which % Math.max(1, this.#requested.size)];
        if (hash !== undefined) this.#resolve(hash, operation.action);
        return;
      }
      case 'time':
        return this.#time.advance(operation.ms);
      case 'move':
        return this.#move(life, operation);
      case 'node':
        return this.#net(operation.node)[operation.what]();
      case 'call':
        return this.#net(operation.node).next(operation.name, operation.fault);
      case 'database':
        return this.#database.failAt(operation.fault);
      case 'resume':
        return life.payments.resumePending();
      case 'cancel':
        return this.#cancel(life, operation.which);
      case 'pause':
        this.#pausedUntil[instance] = this.#operations + operation.forOperations;
        return life.pause();
      case 'crash':
        if (operation.inSteps === 0) life.kill();
        else life.dieIn(operation.inSteps);
    }
  }

  async #move(life: Life, { wallet: index, node }: Extract<Operation, { do: 'move' }>): Promise<void> {
    const wallet = this.#wallet(index);
    const nodeId = this.#nodeIds[node % this.#nodeIds.length] ?? wallet.nodeId;
    await life.move(wallet.id, nodeId);
    this.#wallets = this.#wallets.map((one) => (one.id === wallet.id ? { ...one, nodeId } : one));
  }

  async #deposit(life: Life, { wallet: index, msat: amount, how }: Extract<Operation, { do: 'deposit' }>): Promise<void> {
    const wallet = this.#wallet(index);
    const order = { wallet, memo: '', expirySeconds: 3600, wtxType: 'ln_deposit' as const };
    const { id, paymentRequest } = await life.invoices.create({ ...order, amountMsat: how === 'open' ? undefined : msat(amount) });
    this.#invoiceIds.push(id);
    const arrives = {
      exact: {},
      open: { amountMsat: amount },
      more: { arrivesMsat: amount + 7 },
      less: { arrivesMsat: amount - 1 },
      part: { partial: true },
    };
    if (how === 'less' && amount === 1) return;
    await this.#netOf(wallet).outside.pay({ paymentRequest, ...arrives[how] });
  }

  async #pay(life: Life, wallet: Wallet, paymentHash: string, limit: { feeLimitMsat?: ReturnType<typeof msat> }): Promise<void> {
    await this.#requestPayment(paymentHash, async (paymentRequest) => {
      const invoice = life.payments.readInvoice(paymentRequest);
      await life.payments.payInvoice({ wallet, invoice, wtxType: 'ln_withdrawal', ...limit });
    });
  }

  /** Stores the response to a request for a payment. */
  async #requestPayment(paymentHash: string, pay: (paymentRequest: string) => Promise<void>): Promise<void> {
    const requested = this.#requested.get(paymentHash);
    if (!requested) return;
    const index = requested.responses.push('unclear') - 1;
    try {
      await pay(requested.paymentRequest);
      requested.responses[index] = 'started';
    } catch (error) {
      // The API responds 4xx or 503: this request paid nothing and will pay nothing.
      if (error instanceof Refusal || error instanceof NodeUnavailable) requested.responses[index] = 'refused';
      throw error;
    }
  }

  async #inside(life: Life, { from, to, msat: amount, isRaced }: Extract<Operation, { do: 'inside' }>): Promise<void> {
    const payee = this.#wallet(to);
    const order = { wallet: payee, amountMsat: msat(amount), memo: '', expirySeconds: 3600, wtxType: 'ln_deposit' as const };
    const { id, paymentRequest } = await life.invoices.create(order);
    this.#invoiceIds.push(id);
    const racing = isRaced ? this.#netOf(payee).outside.pay({ paymentRequest, claimDelayMs: amount % 2 ? 0 : 500 }) : undefined;
    await Promise.all([
      life.payments.payInvoice({
        wallet: this.#wallet(from),
        invoice: life.payments.readInvoice(paymentRequest),
        wtxType: 'ln_withdrawal',
      }),
      racing?.catch(() => undefined),
    ]);
  }

  async #cancel(life: Life, which: number): Promise<void> {
    const id = this.#invoiceIds[which % Math.max(1, this.#invoiceIds.length)];
    const invoice = id === undefined ? undefined : await life.invoices.find(id);
    if (invoice) await life.invoices.cancel(invoice, []);
  }

  async #claim(life: Life, { which, msat: amount }: Extract<Operation, { do: 'claim' }>): Promise<void> {
    const link = this.#links[which % Math.max(1, this.#links.length)];
    if (!link) return;
    const net = this.#netOf(this.#wallets.find(({ id }) => id === link.key) ?? this.#wallet(0));
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: Math.max(1_000, amount) });
    this.#requested.set(paymentHash, { net, paymentRequest, responses: [] });
    const withdrawal = { key: link.key, ott: link.token };
    await this.#requestPayment(paymentHash, (request) => life.links.claim(withdrawal, request));
  }

  #resolve(paymentHash: string, action: 'settle' | 'cancel'): void {
    try {
      this.#requested.get(paymentHash)?.net.outside.resolveHold(paymentHash, action);
    } catch {
      // Not a hold invoice, or not paid.
    }
  }

  /** An ended payment does not change, except by a correction. */
  async #checkEnds(): Promise<void> {
    for (const { id, state, correction } of await this.#database.all(allPayments)) {
      const before = this.#ended.get(id);
      const now = correction === null ? state : `${state} (${correction})`;
      if (before !== undefined && before !== now && !(before === 'failed' && correction !== null)) {
        throw new Broken(`payment ${id} was ${before} and is ${now}`);
      }
      if (state !== 'pending') this.#ended.set(id, now);
    }
  }

  async #verify(): Promise<void> {
    const problems = await problemsOf(this.#database);
    if (problems.length > 0) throw new Broken(problems.join('\n'));
  }

  /** Everything has ended, so the ledger and the outside nodes must agree. */
  async #compare(life: Life): Promise<void> {
    const outside = this.#nets.flatMap((net) => net.outside.payments());
    const payments = await this.#database.all(allPayments);
    for (const { id, state, payment_hash, correction, invoice_id } of payments) {
      if (state === 'pending') throw new Broken(`payment ${id} is pending although nothing is in the way`);
      if (invoice_id !== null) continue;
      const paid = outside.some((one) => one.direction === 'received' && one.paymentHash === payment_hash && one.state === 'succeeded');
      const ours = payments.some((one) => one.payment_hash === payment_hash && (one.state === 'succeeded' || one.correction === 'borne'));
      if (paid !== ours) throw new Broken(`payment ${id} is ${state} (${correction}), its receiver ${paid ? 'has' : 'has not'} been paid`);
    }
    for (const { id, state, payment_hash } of await this.#database.all(allInvoices)) {
      if (state === 'closing') throw new Broken(`invoice ${id} is closing although its payment has ended`);
      const received = outside.some((one) => one.direction === 'sent' && one.paymentHash === payment_hash && one.state === 'succeeded');
      const inside = payments.some((one) => one.invoice_id === id && one.state === 'succeeded');
      if (received && inside) throw new Broken(`invoice ${id} was paid inside and outside`);
      if ((received || inside) !== (state === 'settled'))
        throw new Broken(`invoice ${id} is ${state}, paid: ${received ? 'outside' : inside}`);
    }
    for (const [hash, { responses }] of this.#requested) {
      const refused = responses.length > 0 && responses.every((response) => response === 'refused');
      const paid = outside.some((one) => one.direction === 'received' && one.paymentHash === hash && one.state === 'succeeded');
      if (refused && paid) throw new Broken(`every request to pay ${hash} was rejected, but it was paid`);
    }
    for (const [i, { nodeId, ledgerAccount }] of life.connections.all.entries()) {
      const { balanceMsat } = await life.ledger.balance(ledgerAccount);
      const earnedMsat = localMsat(this.#net(i)) - (this.#firstBalancesMsat[i] ?? 0);
      if (-balanceMsat !== earnedMsat) throw new Broken(`${nodeId} holds ${earnedMsat} msat of ours, the ledger has ${-balanceMsat}`);
    }
  }

  /** Runs everything that is ready, without advancing the time. PostgreSQL needs real time for it. */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < 12; turn++) {
      if (this.#database.dialect === 'sqlite') await new Promise((resolve) => setImmediate(resolve));
      else await delay(1);
    }
  }
}

const NO_LIMITS: LimitFields = {
  max_balance_msat: null,
  max_payment_msat: null,
  max_receive_msat: null,
  max_out_day_msat: null,
  max_out_month_msat: null,
  max_payments_per_minute: null,
  max_pending: null,
};

function localMsat(net: FakeNetwork): number {
  return net.state().balance.local ?? 0;
}

/** Returns whether a caller must expect the error: a refusal, an unavailable node, a failed database, an invoice that cannot be paid. */
function isExpected(error: unknown): boolean {
  const names = [
    'Refusal',
    'NodeUnavailable',
    'ConnectionLost',
    'InjectedFailure',
    'StatementFailed',
    'PlaygroundRefusal',
    'CommitUnknown',
    'ActionRefused',
  ];
  return error instanceof Error && names.includes(error.name);
}
