import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type DevnetRelay, startRelay } from '../../devnet/relay.ts';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { createKeyring } from '../../src/core/accounts/keyring.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { type NostrEvent, signEvent } from '../../src/core/nostr/event.ts';
import { encryptNip44, nip44Key } from '../../src/core/nostr/nip44.ts';
import { createConnections, type NewConnection } from '../../src/features/nwc/connections.ts';
import { CONNECTION_PERMISSIONS } from '../../src/features/nwc/methods.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import type { Run } from '../run.ts';
import { residentMb, startService } from '../service-process.ts';
import { compare, figureOf, perSecond } from '../sides.ts';
import { postRequest, type Web, webOn } from '../web.ts';

const APPS = 10_000;
const FORGED_PER_SECOND = 1000;
const SECRET_KEY = 'ab'.repeat(32);
const WAIT_MS = 120_000;
const CALLS = 20;
const FLOOD = 600;
/** A wallet has some keys already. */
const WALLET_KEYS = 10;

/** Apps that are connected over Nostr: what ten thousand of them cost, and what forged requests do to others. */
export function appRows(): Row[] {
  return [
    {
      name: `SQLite transfers during ${FORGED_PER_SECOND} forged requests of apps per second`,
      meaning:
        'transfers over HTTP while a relay sends events with invalid signatures, half of them in the name of a connected app ÷ without',
      unit: 'transfers/s',
      target: { goal: 0.9, floor: 0.8 },
      measure: duringForgeries,
    },
    {
      name: `memory of ${APPS} connected apps`,
      meaning: 'resident memory of the service more than with one, after all are subscribed and announced',
      unit: 'MB',
      target: { goal: 60, floor: 120 },
      measure: async (run) => [figureOf('more', [await memoryOfApps(run)])],
    },
    {
      name: `response to an app, ${APPS} connected`,
      meaning: `get_balance with ${APPS} connected apps ÷ with one`,
      unit: 'ms',
      target: { goal: 1.25, floor: 2 },
      measure: responses,
    },
    {
      name: 'delay of an app by eight apps of another account',
      meaning: `get_balance while each of the eight has sent ${FLOOD} requests at once − without them`,
      unit: 'ms',
      target: { goal: 100, floor: 250 },
      measure: async (run) => [figureOf('longer', [await delayByOthers(run)])],
    },
  ];
}

/** A running service with connected apps, and their relay. */
interface ServiceWithApps extends AsyncDisposable {
  readonly relay: DevnetRelay;
  readonly port: number;
  readonly pid: number;
  readonly web: Web;
  readonly apps: readonly NewConnection[];
}

async function startWithApps(run: Run, count: number, prepare?: (database: Database) => Promise<void>): Promise<ServiceWithApps> {
  await using stack = new AsyncDisposableStack();
  const relay = await startRelay({ maxMessageBytes: 1_000_000 });
  stack.defer(() => relay.stop());
  const temporary = stack.use(await run.database('sqlite'));
  const web = await webOn(temporary.database);
  run.progress(`connecting ${count} apps`);
  const apps = await connectApps(temporary.database, web, relay.url, count);
  await prepare?.(temporary.database);
  await temporary.database.close();
  const unlimited = { RATE_LIMIT_PER_SECOND: '0', ADDRESS_RATE_LIMIT_PER_SECOND: '0' };
  const own = { DATA_DIR: run.folder(), DATABASE_URL: temporary.url, SECRET_KEY, NWC_RELAYS: relay.url };
  const started = Date.now();
  const service = stack.use(await startService({ ...unlimited, ...own }));
  run.progress(`subscribing ${count} apps`);
  await until(() => subscribedKeys(relay) >= count && infoEvents(relay) >= count);
  process.stderr.write(`${count} apps subscribed and announced ${((Date.now() - started) / 1000).toFixed(1)} s after the start\n`);
  const all = stack.move();
  return { relay, web, apps, port: service.port, pid: service.pid, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function connectApps(database: Database, { secretKey, funded }: Web, relay: string, count: number): Promise<NewConnection[]> {
  const by = await createAccounts(database, systemClock).find(secretKey);
  if (!by) throw new Error('the account has no key');
  const options = {
    keyring: createKeyring(database, systemClock, count + WALLET_KEYS),
    secretKey: Buffer.from(SECRET_KEY, 'hex'),
    relays: [relay],
  };
  const connections = createConnections({ ...options, database, clock: systemClock });
  const made: NewConnection[] = [];
  await perSecond(count, 8, async (index) => {
    const owner = { accountId: by.accountId, walletId: funded[index % funded.length]?.id ?? '' };
    made.push(await connections.create(by, owner, { permissions: CONNECTION_PERMISSIONS, key: { label: '' } }, () => []));
  });
  return made;
}

function subscribedKeys(relay: DevnetRelay): number {
  return new Set(relay.requests().flatMap((filters) => filters.flatMap((filter) => filter['#p'] ?? []))).size;
}

function infoEvents(relay: DevnetRelay): number {
  return relay.events.filter(({ kind }) => kind === 13_194).length;
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + WAIT_MS; !condition(); await delay(100))
    if (Date.now() > end) throw new Error('the apps were not served in time');
}

async function duringForgeries(run: Run): Promise<readonly Figure[]> {
  await using service = await startWithApps(run, 1);
  const { port, web, relay, apps } = service;
  const idOf = (index: number) => web.funded[index % web.funded.length]?.id ?? '';
  const requests = web.funded.map(({ id }, i) =>
    postRequest(`/v1/wallet/${id}/transfer`, web.secretKey, { dest_wallet_id: idOf(i * 7 + 1), num_satoshis: 1 }),
  );
  const round = async () => (await load({ port, requests, connections: 64, seconds: run.sizes.seconds * 2 })).perSecond;
  const during = async () => {
    const timer = setInterval(() => {
      for (let i = 0; i < FORGED_PER_SECOND / 20; i++) relay.store(forged(apps[0], i % 2 === 0));
    }, 50);
    return round().finally(() => clearInterval(timer));
  };
  // The service is stopped at the return.
  return await compare(run, { name: 'during forged requests', round: during }, { name: 'without', round });
}

/** Returns an event with an invalid signature. `isOfApp`: it names the app as its author, so the service must verify it. */
function forged(app: NewConnection | undefined, isOfApp: boolean): NostrEvent {
  const pubkey = isOfApp ? (app?.connection.clientPubkey ?? '') : randomBytes(32).toString('hex');
  const tags = [
    ['p', app?.connection.servicePubkey ?? ''],
    ['encryption', 'nip44_v2'],
  ];
  const template = { created_at: Math.floor(Date.now() / 1000), kind: 23_194, tags, content: randomBytes(132).toString('base64') };
  return { ...template, id: randomBytes(32).toString('hex'), pubkey, sig: randomBytes(64).toString('hex') };
}

async function memoryOfApps(run: Run): Promise<number> {
  const measure = async (count: number) => {
    await using service = await startWithApps(run, count);
    return await residentMb(service.pid);
  };
  const one = await measure(1);
  return (await measure(APPS)) - one;
}

async function responses(run: Run): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const count of [APPS, 1]) {
    await using service = await startWithApps(run, count);
    const times: number[] = [];
    for (let call = 0; call <= CALLS; call++) {
      const ms = await timeOfCall(service, service.apps[Math.floor((call / (CALLS + 1)) * count)]);
      // The first one starts the thread for the cryptography.
      if (call > 0) times.push(ms);
      // Within the rate of one app.
      await delay(60);
    }
    figures.push(figureOf(count === 1 ? 'one app' : `${count} apps`, times));
  }
  return figures;
}

const OTHER_ACCOUNT = [
  "INSERT INTO account (id, created_at) VALUES ('acc_bench', 0)",
  "UPDATE wallet SET account_id = 'acc_bench' WHERE id = (SELECT wallet_id FROM nwc_connection ORDER BY id LIMIT 1)",
  "UPDATE access_key SET account_id = 'acc_bench' WHERE wallet_id = (SELECT wallet_id FROM nwc_connection ORDER BY id LIMIT 1)",
].map((text, index) => statement(`bench_other_account_${index}`, text));

/** Returns how much longer the median call of an app takes while the apps of another account flood the service. */
async function delayByOthers(run: Run): Promise<number> {
  await using service = await startWithApps(run, 9, async (database) => {
    for (const one of OTHER_ACCOUNT) await database.transaction((tx) => tx.run(one));
  });
  const [app, ...others] = service.apps.toSorted((a, b) => (a.connection.id < b.connection.id ? -1 : 1));
  const median = async () => {
    const times: number[] = [];
    for (let call = 0; call <= CALLS; call++) {
      times.push(await timeOfCall(service, app));
      await delay(60);
    }
    return times.toSorted((a, b) => a - b)[CALLS / 2] ?? 0;
  };
  await timeOfCall(service, app);
  const without = await median();
  for (const event of others.flatMap((other) => Array.from({ length: FLOOD }, () => balanceRequest(other)))) service.relay.store(event);
  return (await median()) - without;
}

/** Returns a request for the balance. */
function balanceRequest(app: NewConnection | undefined): NostrEvent {
  const secret = Buffer.from(app?.secret ?? '', 'hex');
  const servicePubkey = app?.connection.servicePubkey ?? '';
  const key = nip44Key(secret, servicePubkey);
  if (!key) throw new Error('the public key of the service is invalid');
  const content = encryptNip44(key, JSON.stringify({ method: 'get_balance', params: {} }));
  const tags = [
    ['p', servicePubkey],
    ['encryption', 'nip44_v2'],
  ];
  return signEvent({ created_at: Math.floor(Date.now() / 1000), kind: 23_194, tags, content }, secret);
}

async function timeOfCall({ relay }: ServiceWithApps, app: NewConnection | undefined): Promise<number> {
  const event = balanceRequest(app);
  const started = performance.now();
  relay.store(event);
  const isAnswered = () =>
    relay.events.some(({ kind, tags: own }) => kind === 23_195 && own.some(([name, value]) => name === 'e' && value === event.id));
  while (!isAnswered()) {
    if (performance.now() - started > 10_000) throw new Error('an app got no response');
    await delay(1);
  }
  return performance.now() - started;
}
