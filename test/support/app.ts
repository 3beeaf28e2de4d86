import { createHash, hkdfSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import type { ProfileName } from '../../devnet/fake/profile.ts';
import { SteppedTime } from '../../devnet/fake/time.ts';
import { type Overrides, type Satchel, startSatchel } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { type Alert, createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database, Dialect, SqlValue } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { createEventLog } from '../../src/core/journal/event-log.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { systemAccounts } from '../../src/core/ledger/stores.ts';
import type { StreamTiming } from '../../src/features/events/streams.ts';
import { createPasswords } from '../../src/features/logins/passwords.ts';
import { type Action, findAction, type NewAction, requestAction } from '../../src/features/operator/actions.ts';
import type { NodeComparison, Reconciliation } from '../../src/features/reconcile/reconciliation-object.ts';
import type { ReconciliationScope } from '../../src/features/reconcile/requests.sql.ts';
import { findReconciliation, lastReport, requestReconciliation } from '../../src/features/reconcile/requests.ts';
import type { JobTiming } from '../../src/jobs.ts';
import { openNode } from '../../src/open-node.ts';
import { type Client, clientOf } from './client.ts';
import { type DatabaseFaults, noFaults, withFaults } from './database-faults.ts';
import { dialects } from './dialects.ts';
import { freePort } from './free-port.ts';
import { migratedUrls, problemsAfter, problemsOf, silentLog } from './ledger.ts';

/*
 * The service in this process, on SQLite and on PostgreSQL: for tests of the API and of scenarios.
 *
 *   onFakeNode('a withdrawal', ({ client, net, problems }) => {
 *     it('is debited once', async () => {
 *       const wallet = await client.wallet(1000);
 *       const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
 *       await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
 *       expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(995);
 *       expect(await problems()).toEqual([]);
 *     });
 *   }, { PAYMENT_WAIT_SECONDS: '1' });
 */

/** A running service. `client` and `neighbour` can be used once the tests run. */
export interface App extends DatabaseFaults {
  readonly client: Client;
  /** The client of another account, which has nothing in common with the first. */
  readonly neighbour: Client;
  /** The URL of its database, for commands that run at the same time. */
  readonly databaseUrl: string;
  /** The folder with its secret key, and with its files on SQLite. */
  readonly dataDir: string;
  /** Stops the service and starts it again on the same database and network, or on another database. `between` runs while it is stopped. */
  restart(between?: () => Promise<void> | void, on?: { readonly databaseUrl: () => string }): Promise<void>;
  /** Starts another instance on the same database and network (PostgreSQL only). It is stopped after the suite. */
  another(): Promise<Client>;
  /** Requests an operator action of the running service and returns it once it has ended or is being paid. */
  act(action: Pick<NewAction, 'kind' | 'subject' | 'target' | 'preimage'>): Promise<Action>;
  findAction(id: string): Promise<Action | undefined>;
  /** Requests a reconciliation of the running service and returns its id and the comparison with the first node. */
  reconcile(scope?: ReconciliationScope): Promise<NodeComparison & { id: string }>;
  /** The same with all nodes. */
  reconcileAll(scope?: ReconciliationScope): Promise<Reconciliation>;
  /** Ends retention periods of events, for EVENT_RETENTION_DAYS = 1. */
  endEventRounds(count: number): Promise<void>;
  /** Returns the open alerts, the oldest first. */
  openAlerts(): Promise<Alert[]>;
  /** Returns the committed balance of suspense. */
  suspenseMsat(): Promise<number>;
  /** Reads the database. */
  rows(sql: string, ...parameters: SqlValue[]): Promise<Record<string, SqlValue>[]>;
  /** Changes the database without the service. */
  execute(sql: string, ...parameters: SqlValue[]): Promise<void>;
  /** Returns the problems that `verify` finds. */
  problems(): Promise<readonly string[]>;
  /** Returns the problems that `verify` finds after a change of the database, which is then rolled back. */
  problemsAfter(sql: string, ...parameters: SqlValue[]): Promise<readonly string[]>;
}

/** A service on a fake Lightning network that the test controls. Its time stands still until the test advances it. */
export interface FakeNodeApp extends App {
  readonly net: FakeNetwork;
  readonly time: SteppedTime;
}

/** Scrypt takes 0.1 s for each login. Tests of processes use it. */
const QUICK_PASSWORDS = createPasswords(async (password, salt) => new Uint8Array(hkdfSync('sha256', password, salt, '', 32)));

/** Operators' requests are executed soon. */
const JOB_TIMING: JobTiming = { pollMs: 50 };

/** Reconciliation repeats a measurement at once. For suites in which no money arrives while it runs. */
export const MEASURES_AT_ONCE: JobTiming = { probe: { againMs: 1, arrivalMs: 1 } };

/** Runs a suite against the service on the fake node. `settings` are environment variables of the service. */
export function onFakeNode(
  name: string,
  suite: (app: FakeNodeApp, dialect: Dialect) => void,
  settings: Record<string, string> = {},
  jobTiming: JobTiming = {},
  streamTiming: Partial<StreamTiming> = {},
): void {
  onBothDialects(name, (dialect) => suite(prepareFakeNodeApp(name, dialect, settings, jobTiming, streamTiming), dialect));
}

export interface FakeNodeSuite {
  readonly name: string;
  readonly dialect: Dialect;
  readonly settings?: Record<string, string>;
  readonly jobTiming?: JobTiming;
}

/** The same on one database: for suites whose other database is in the thorough tests. */
export function onFakeNodeOf({ name, dialect, settings = {}, jobTiming = {} }: FakeNodeSuite, suite: (app: FakeNodeApp) => void): void {
  describe(`${name} (${dialect})`, () => suite(prepareFakeNodeApp(name, dialect, settings, jobTiming)));
}

/** The same on SQLite only: for tests of the dashboard, which does not depend on the database. */
export function onFakeNodeWithSqlite(name: string, suite: (app: FakeNodeApp) => void, settings: Record<string, string> = {}): void {
  describe(name, () => suite(prepareFakeNodeApp(name, 'sqlite', settings, MEASURES_AT_ONCE)));
}

function prepareFakeNodeApp(
  name: string,
  dialect: Dialect,
  settings: Record<string, string>,
  jobTiming: JobTiming,
  streamTiming: Partial<StreamTiming> = {},
): FakeNodeApp {
  const time = new SteppedTime();
  const net = new FakeNetwork({ seed: name, time, behaves: (process.env.FAKE_BEHAVES ?? 'ideal') as ProfileName });
  const open = async () => ({ node: net.connect(), playground: net.control });
  const app = prepareApp(dialect, settings, { openNode: open, jobTiming: { ...JOB_TIMING, ...jobTiming }, streamTiming });
  return Object.assign(app, { net, time });
}

/** A service on two fake Lightning nodes, each on a network of its own. */
export interface TwoNodesApp extends App {
  readonly nets: readonly [FakeNetwork, FakeNetwork];
  readonly time: SteppedTime;
}

/** Runs a suite against the service on two fake nodes. The first is the first node of the ledger. */
export function onTwoFakeNodes(
  name: string,
  suite: (app: TwoNodesApp, dialect: Dialect) => void,
  settings: Record<string, string> = {},
): void {
  onBothDialects(name, (dialect) => {
    const time = new SteppedTime();
    const nets = [new FakeNetwork({ seed: `${name} 1`, time }), new FakeNetwork({ seed: `${name} 2`, time })] as const;
    const open: Overrides['openNode'] = async ({ lightningUrl }) => ({ node: nets[lightningUrl === 'fake:?seed=1' ? 0 : 1].connect() });
    const both = { LIGHTNING_URL: 'fake:?seed=1 fake:?seed=2', ...settings };
    const app = prepareApp(dialect, both, { openNode: open, jobTiming: { ...JOB_TIMING, ...MEASURES_AT_ONCE } });
    suite(Object.assign(app, { nets, time }), dialect);
  });
}

/** Runs a suite against the service on the playground: three real LDK nodes. Slow, so only for tests that need a real node. */
export function onPlayground(name: string, suite: (app: App, dialect: Dialect) => void, settings: Record<string, string> = {}): void {
  onBothDialects(name, (dialect) => suite(prepareApp(dialect, settings, { openNode, jobTiming: JOB_TIMING }), dialect));
}

export interface StartedNodeSuite {
  readonly name: string;
  /** Starts the node, and returns settings of the service, with LIGHTNING_URL. */
  readonly start: () => Promise<Record<string, string>>;
  readonly jobTiming?: JobTiming;
}

/** Runs a suite on SQLite against the service on a real node. The suite ends the node. */
export function onStartedNode({ name, start, jobTiming = {} }: StartedNodeSuite, suite: (app: App) => void): void {
  describe(name, () => {
    const settings: Record<string, string> = {};
    beforeAll(async () => void Object.assign(settings, await start()), 300_000);
    suite(prepareApp('sqlite', settings, { openNode, jobTiming }));
  });
}

/** Runs a suite on SQLite against the service on the playground, its first node, and on a fake node that the test controls. */
export function onPlaygroundAndFakeNode(name: string, suite: (app: FakeNodeApp) => void, settings: Record<string, string> = {}): void {
  describe(name, () => {
    const time = new SteppedTime();
    const net = new FakeNetwork({ seed: name, time });
    const open: Overrides['openNode'] = async (options) =>
      options.lightningUrl === 'playground:' ? openNode(options) : { node: net.connect() };
    const app = prepareApp('sqlite', { LIGHTNING_URL: 'playground: fake:', ...settings }, { openNode: open, jobTiming: JOB_TIMING });
    suite(Object.assign(app, { net, time }));
  });
}

function onBothDialects(name: string, suite: (dialect: Dialect) => void): void {
  for (const dialect of dialects()) describe(`${name} (${dialect})`, () => suite(dialect));
}

interface Running {
  satchel?: Satchel;
  database?: Database;
  client?: Client;
  neighbour?: Client;
}

/** Starts the service before the tests of the current suite and stops it after them. */
function prepareApp(dialect: Dialect, settings: Record<string, string>, overrides: Omit<Overrides, 'openDatabase'>): App {
  const urls = migratedUrls(dialect);
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-app-'));
  const secretKey = newKeyText('secret_api');
  const running: Running = {};
  const others: Satchel[] = [];
  let config: Config;

  const openFaulty: typeof openDatabase = async (url, options) => {
    running.database = await openDatabase(url, options);
    return withFaults(running.database, app);
  };
  async function listen(on: Config, openOwn: typeof openDatabase): Promise<{ satchel: Satchel; url: string }> {
    const satchel = await startSatchel(on, { passwords: QUICK_PASSWORDS, ...overrides, openDatabase: openOwn });
    await satchel.server.listen({ host: '127.0.0.1', port: on.port });
    return { satchel, url: `http://127.0.0.1:${on.port}` };
  }
  async function start(): Promise<void> {
    const { satchel, url } = await listen(config, openFaulty);
    running.satchel = satchel;
    running.client ??= clientOf(url, secretKey, satchel.newKeys?.publicKey ?? '');
  }
  async function another(): Promise<Client> {
    const { satchel, url } = await listen({ ...config, port: await freePort() }, openDatabase);
    others.push(satchel);
    return clientOf(url, secretKey, '');
  }

  const app: App = {
    ...noFaults(),
    ...databaseAccess(() => started(running.database)),
    client: late(() => running.client),
    neighbour: late(() => running.neighbour),
    get databaseUrl() {
      return config.databaseUrl;
    },
    dataDir,
    async restart(between = () => undefined, on) {
      await running.satchel?.close();
      await between();
      if (on) config = { ...config, databaseUrl: on.databaseUrl() };
      await start();
    },
    another,
  };
  beforeAll(async () => {
    const port = String(await freePort());
    const own = { DATA_DIR: dataDir, DATABASE_URL: await urls(), PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'silent' };
    config = readConfig({ ...own, BOOTSTRAP_SECRET_KEY: secretKey, ...settings });
    await start();
    // Money that arrives during the first comparison would count as the node's own if it measures at once.
    if (overrides.jobTiming?.probe) await vi.waitUntil(() => lastReport(started(running.database)), { timeout: 150_000, interval: 20 });
    const keys = await createAccounts(started(running.database), systemClock).bootstrap(newKeyText('secret_api'), async () => undefined);
    running.neighbour = clientOf(app.client.url, keys?.secretKey ?? '', keys?.publicKey ?? '');
  });
  afterAll(async () => {
    await Promise.all([running.satchel, ...others].map((one) => one?.close()));
    rmSync(dataDir, { recursive: true, force: true });
  });
  return app;
}

type DatabaseAccess = Omit<App, keyof DatabaseFaults | 'client' | 'neighbour' | 'databaseUrl' | 'dataDir' | 'restart' | 'another'>;

const OPERATOR = { requestedBy: 'bob@desk', reason: 'a test' };

/** What tests read and change in the database of the running service, without its HTTP API. */
function databaseAccess(database: () => Database): DatabaseAccess {
  return {
    async act(action) {
      const requested = await database().transaction((tx) => requestAction(tx, { ...action, ...OPERATOR }, 1));
      const state = async () => (await findAction(database(), requested.id))?.state ?? '';
      await vi.waitUntil(async () => ['done', 'refused', 'paying'].includes(await state()), { timeout: 150_000, interval: 20 });
      return (await findAction(database(), requested.id)) as Action;
    },
    findAction: (id) => findAction(database(), id),
    async reconcile(scope = 'full') {
      const { id, nodes } = await this.reconcileAll(scope);
      return { id, ...(nodes[0] as NodeComparison) };
    },
    async reconcileAll(scope = 'full') {
      const id = await database().transaction((tx) => requestReconciliation(tx, scope, 1, OPERATOR));
      const found = () => findReconciliation(database(), id);
      await vi.waitUntil(async () => (await found())?.status === 'done', { timeout: 150_000, interval: 20 });
      return (await found()) as Reconciliation;
    },
    async endEventRounds(count) {
      const log = createEventLog(database(), 1);
      for (let round = 0; round < count; round++) await log.endRetentionPeriod();
    },
    openAlerts: () => createAlerts(database(), systemClock, silentLog).listOpen(),
    suspenseMsat: () =>
      database().snapshot(async (tx) => (await systemAccounts(tx)).find(({ id }) => id === SYSTEM_ACCOUNTS.suspense)?.balanceMsat ?? 0),
    rows: (sql, ...parameters) => database().all(textOf(sql), ...parameters),
    async execute(sql, ...parameters) {
      await database().transaction((tx) => tx.run(textOf(sql), ...parameters));
    },
    problems: () => problemsOf(database()),
    problemsAfter: (sql, ...parameters) => problemsAfter(database(), sql, parameters),
  };
}

/** PostgreSQL accepts names of at most 63 characters. */
function textOf(sql: string): Statement {
  return statement(`test_${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`, sql);
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the service starts in beforeAll: use it inside a test or a hook');
  return part;
}

/** Returns an object whose properties are those of a client that exists later. Suites can take it apart before the service runs. */
function late(client: () => Client | undefined): Client {
  return new Proxy({} as Client, { get: (_, property) => Reflect.get(started(client()), property) });
}
