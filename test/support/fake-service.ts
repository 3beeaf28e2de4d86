import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { SteppedTime } from '../../devnet/fake/time.ts';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { newKeyText } from '../../src/accounts/keys.ts';
import { type Alert, createAlerts } from '../../src/alerts/alerts.ts';
import { type Satchel, startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Database, Dialect, SqlValue, Tx } from '../../src/db/database.ts';
import { StatementFailed } from '../../src/db/errors.ts';
import { openDatabase } from '../../src/db/open.ts';
import { type Statement, statement } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { SYSTEM_ACCOUNTS } from '../../src/ledger/accounts.ts';
import { systemAccounts } from '../../src/ledger/read-tail.ts';
import { type Action, findAction, type NewAction, requestAction } from '../../src/operator/actions.ts';
import type { Report, Scope } from '../../src/reconcile/report.ts';
import { findRequest, requestReconciliation } from '../../src/reconcile/requests.ts';
import { freshUrls, silentLog } from './databases.ts';
import { freePort } from './free-port.ts';
import { problemsAfter, problemsOf } from './ledgers.ts';
import { type Client, clientOf } from './service.ts';

/** The whole service on a network that does what a test tells it; its time stands still until the test moves it. */
export interface FakeService {
  readonly client: Client;
  /** The client of an account that has nothing to do with it. */
  readonly neighbour: Client;
  readonly net: FakeNetwork;
  readonly time: SteppedTime;
  /** While true, every transaction fails, as on a full disk; reads go on. */
  diskIsFull: boolean;
  /**
   * While it is set, each statement for which it returns true fails before it is run, as when the connection is lost. A commit is the
   * statement `COMMIT`.
   */
  fails: ((statement: string) => boolean) | undefined;
  /** While it is a list, the name of every statement that the service runs is added to it. */
  statements: string[] | undefined;
  /** Statements that fail in every transaction, as if the database rejected them; undefined: none. */
  failing: ((statement: Statement) => boolean) | undefined;
  /** Ends the service and starts it again on the same database and network. `between` runs while it is down. */
  restart(between?: () => Promise<void> | void): Promise<void>;
  /** Starts another instance on the same database and network (PostgreSQL only); it ends with the suite. */
  another(): Promise<Client>;
  /** For commands that run beside the service. */
  readonly databaseUrl: string;
  /** Asks the running service for an operator action and returns it once it has ended, or is being paid. */
  act(action: Pick<NewAction, 'kind' | 'subject' | 'target' | 'preimage'>): Promise<Action>;
  findAction(id: string): Promise<Action | undefined>;
  /** Asks the running service to reconcile, and returns the report. */
  reconcile(scope?: Scope): Promise<Report>;
  /** The open alerts, the oldest first. */
  openAlerts(): Promise<Alert[]>;
  /** The committed balance of suspense. */
  suspenseMsat(): Promise<number>;
  /** Reads the database. */
  rows(sql: string, ...parameters: SqlValue[]): Promise<Record<string, SqlValue>[]>;
  /** Changes the database behind the service's back. */
  execute(sql: string, ...parameters: SqlValue[]): Promise<void>;
  /** What `verify` finds wrong. */
  problems(): Promise<readonly string[]>;
  /** What `verify` would find wrong after a change of the database by somebody else; the change is taken back. */
  problemsAfter(sql: string, ...parameters: SqlValue[]): Promise<readonly string[]>;
}

export function onFakeService(
  name: string,
  suite: (service: FakeService, dialect: Dialect) => void,
  settings: Record<string, string> = {},
) {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${dialect})`, () => {
      const urls = freshUrls(dialect);
      const dataDir = mkdtempSync(join(tmpdir(), 'satchel-fake-'));
      const time = new SteppedTime();
      const net = new FakeNetwork({ seed: name, time });
      const secretKey = newKeyText('secret_api');
      let satchel: Satchel | undefined;
      let database: Database;
      let config: ReturnType<typeof readConfig>;

      const failing =
        <T>(work: (tx: Tx) => Promise<T>) =>
        (tx: Tx): Promise<T> =>
          work({
            ...tx,
            run: (one, ...given) => (service.failing?.(one) ? Promise.reject(full()) : tx.run(one, ...given)),
            send: (one, ...given) => (service.failing?.(one) ? Promise.reject(full()) : tx.send(one, ...given)),
          });
      const others: Satchel[] = [];
      const openNode = async () => ({ node: net.connect(), playground: net.control });
      const start = async () => {
        satchel = await startSatchel(config, {
          openDatabase: async (url, options) => {
            database = await openDatabase(url, options);
            const broken = breaking(database, (name) => service.fails?.(name) === true);
            const told = recording(broken, (name) => service.statements?.push(name));
            return { ...told, transaction: (work) => (service.diskIsFull ? Promise.reject(full()) : told.transaction(failing(work))) };
          },
          openNode,
        });
        await satchel.server.listen({ host: '127.0.0.1', port: config.port });
        const url = `http://127.0.0.1:${config.port}`;
        if (satchel.newKeys) Object.assign(service, { client: clientOf(url, secretKey, satchel.newKeys.publicKey) });
      };
      const service: FakeService = {
        client: undefined as unknown as Client,
        neighbour: undefined as unknown as Client,
        net,
        time,
        diskIsFull: false,
        fails: undefined,
        statements: undefined,
        failing: undefined,
        async restart(between = () => undefined) {
          await satchel?.close();
          await between();
          await start();
        },
        async another() {
          const port = await freePort();
          const other = await startSatchel({ ...config, port }, { openDatabase, openNode });
          others.push(other);
          await other.server.listen({ host: '127.0.0.1', port });
          return clientOf(`http://127.0.0.1:${port}`, secretKey, '');
        },
        databaseUrl: '',
        async act(action) {
          const { action: asked } = await requestAction(database, { ...action, askedBy: 'bob@desk', reason: 'a test' }, 1);
          const state = async () => (await findAction(database, asked.id))?.state ?? '';
          await vi.waitUntil(async () => ['done', 'refused', 'paying'].includes(await state()), { timeout: 60_000, interval: 20 });
          return (await findAction(database, asked.id)) as Action;
        },
        findAction: (id) => findAction(database, id),
        async reconcile(scope = 'full') {
          const id = await requestReconciliation(database, scope, 1, { askedBy: 'bob@desk', reason: 'a test' });
          const found = async () => (await findRequest(database, id))?.report;
          await vi.waitUntil(found, { timeout: 60_000, interval: 20 });
          return (await found()) as Report;
        },
        openAlerts: () => createAlerts(database, systemClock, silentLog).listOpen(),
        suspenseMsat: () =>
          database.snapshot(async (tx) => (await systemAccounts(tx)).find(({ id }) => id === SYSTEM_ACCOUNTS.suspense)?.balanceMsat ?? 0),
        rows: (sql, ...parameters) =>
          database.all(statement(`test_${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`, sql), ...parameters),
        async execute(sql, ...parameters) {
          await database.transaction((tx) => tx.run(statement(`test_execute_${sql}`, sql), ...parameters));
        },
        problems: () => problemsOf(database),
        problemsAfter: (sql, ...parameters) => problemsAfter(database, sql, parameters),
      };
      beforeAll(async () => {
        const port = String(await freePort());
        const databaseUrl = await urls();
        const own = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PORT: port, LOG_LEVEL: 'silent', BOOTSTRAP_SECRET_KEY: secretKey };
        config = readConfig({ ...own, ...settings });
        await start();
        const neighbour = await createAccounts(database, systemClock).bootstrap(newKeyText('secret_api'), async () => undefined);
        const url = `http://127.0.0.1:${port}`;
        Object.assign(service, {
          databaseUrl,
          client: clientOf(url, secretKey, satchel?.newKeys?.publicKey ?? ''),
          neighbour: clientOf(url, neighbour?.secretKey ?? '', neighbour?.publicKey ?? ''),
        });
      });
      afterAll(async () => {
        await Promise.all([satchel, ...others].map((one) => one?.close()));
        rmSync(dataDir, { recursive: true, force: true });
      });
      suite(service, dialect);
    });
  }
}

/** The database, with a note of every statement. */
function recording(database: Database, note: (name: string) => void): Database {
  const reads = (on: Pick<Database, 'all' | 'first'>): Pick<Database, 'all' | 'first'> => ({
    all(statement, ...parameters) {
      note(statement.name);
      return on.all(statement, ...parameters);
    },
    first(statement, ...parameters) {
      note(statement.name);
      return on.first(statement, ...parameters);
    },
  });
  const noted = (tx: Tx): Tx => ({
    ...tx,
    ...reads(tx),
    run(statement, ...parameters) {
      note(statement.name);
      return tx.run(statement, ...parameters);
    },
    send(statement, ...parameters) {
      note(statement.name);
      return tx.send(statement, ...parameters);
    },
  });
  return {
    ...database,
    ...reads(database),
    transaction: (work) => database.transaction((tx) => work(noted(tx))),
  };
}

/** The database, whose statements fail where a test says. */
function breaking(database: Database, fails: (name: string) => boolean): Database {
  const check = (name: string) => {
    if (fails(name)) throw new StatementFailed(`${name}: Connection terminated unexpectedly`, 'connection');
  };
  const queries = <Q extends Pick<Database, 'all' | 'first'>>(on: Q): Pick<Database, 'all' | 'first'> => ({
    async all(statement, ...parameters) {
      check(statement.name);
      return on.all(statement, ...parameters);
    },
    async first(statement, ...parameters) {
      check(statement.name);
      return on.first(statement, ...parameters);
    },
  });
  const checked = (tx: Tx): Tx => ({
    ...tx,
    ...queries(tx),
    async run(statement, ...parameters) {
      check(statement.name);
      return tx.run(statement, ...parameters);
    },
    async send(statement, ...parameters) {
      check(statement.name);
      return tx.send(statement, ...parameters);
    },
  });
  return {
    ...database,
    ...queries(database),
    transaction: (work) =>
      database.transaction(async (tx) => {
        const result = await work(checked(tx));
        check('COMMIT');
        return result;
      }),
  };
}

function full(): StatementFailed {
  return new StatementFailed('database or disk is full', '13');
}
