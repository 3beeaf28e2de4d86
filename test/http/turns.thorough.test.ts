import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { PER_TURN } from '../../src/core/kernel/turns.ts';
import { appOfWallet } from '../lndhub/app.ts';
import { operationsOf, servedApi, type Values, type Walked } from '../openapi/conformance/operations.ts';
import { send } from '../openapi/conformance/send.ts';
import { createWorld, type World } from '../openapi/conformance/world.ts';
import { UNREACHABLE_MAIL_SERVER } from '../support/alert-channel.ts';
import { onFakeNodeWithSqlite } from '../support/app.ts';
import { fillAccount, LINES, SOME } from '../support/busy-account.ts';
import { connectApp } from '../support/nwc.ts';
import { countStretches, type Stretch, UNITS } from '../support/stretches.ts';

const signatures = vi.hoisted(() => ({ onUse: (): void => undefined }));

vi.mock(import('tiny-secp256k1'), async (original) => {
  const real = await original();
  const counted = <Given extends readonly unknown[], Result>(method: (...given: Given) => Result) => {
    return (...given: Given): Result => {
      signatures.onUse();
      return method(...given);
    };
  };
  const { verify, verifySchnorr, sign, signSchnorr, signRecoverable, recover } = real;
  return {
    ...real,
    verify: counted(verify),
    verifySchnorr: counted(verifySchnorr),
    sign: counted(sign),
    signSchnorr: counted(signSchnorr),
    signRecoverable: counted(signRecoverable),
    recover: counted(recover),
  };
});

const relay = await startRelay();
afterAll(() => relay.stop());

const SETTINGS = {
  LNDHUB: 'true',
  NWC_RELAYS: relay.url,
  PAYMENT_WAIT_SECONDS: '0',
  PROOF_INTERVAL_SECONDS: '1',
  OUTBOUND_ALLOW: '127.0.0.1',
  RATE_LIMIT_PER_SECOND: '0',
  ADDRESS_RATE_LIMIT_PER_SECOND: '0',
  UNLIMITED_LOGINS: 'true',
  FIAT_RATES: 'http://127.0.0.1:1/{currency}#rate',
  FIAT_CURRENCIES: 'EUR',
  ...UNREACHABLE_MAIL_SERVER,
};

/**
 * The most that one stretch may do: a part of a request and one of a background job. A part of a list adds at most five kinds of rows to each of its
 * own, such as wallets, balances and invoices; a line makes at most eight rows besides its transfer.
 */
const MOST: Stretch['units'] = {
  rows: 2 * (PER_TURN.scannedRows + 5 * PER_TURN.rows),
  written: PER_TURN.writtenRows + 9 * PER_TURN.lines,
  lines: PER_TURN.lines,
  indexEntries: 2 * PER_TURN.indexEntries,
  bytes: 2 * PER_TURN.bytes,
  signatures: 2 * PER_TURN.signatures,
};

/** Values of filters that match nothing, or all. */
const FILTERS: Readonly<Record<string, unknown>> = {
  label: 'nothing',
  pass_through: { a: '1' },
  min_satoshis: 1_000_000,
  max_satoshis: 0,
  to: 1,
  payment_hash: 'ab'.repeat(32),
  q: 'a',
  wait: 0,
};

const LNDHUB_LISTS = [
  '/gettxs?limit=200&offset=1000',
  '/gettxs',
  '/getuserinvoices?limit=200&offset=1000',
  '/getuserinvoices',
  '/getpending',
];

/** Operators alone may send them: a change of limits locks the accounts below an account with one statement. */
const UNBOUNDED: ReadonlySet<string> = new Set(['setAccountLimits', 'setWalletLimits']);

interface Requested {
  readonly what: string;
  readonly values: Values;
}

interface Reported {
  readonly name: string;
  readonly what: string;
  readonly stretch: Stretch;
}

/** Returns the table of docs/performance.md: the longest stretches, at most one of each operation. */
function tableOf(report: readonly Reported[]): string {
  const longest = Map.groupBy(
    report.toSorted((a, b) => b.stretch.ms - a.stretch.ms),
    ({ name }) => name,
  ).values();
  const rows = Array.from(longest, ([worst]) => worst).slice(0, 15);
  const cells = rows.map(
    (row) => row && [`${row.name}, ${row.what}`, ...UNITS.map((unit) => row.stretch.units[unit]), row.stretch.ms.toFixed(0)],
  );
  const text = (some: readonly unknown[] = []) => `${some.join(' | ')}\n`;
  return [['request', ...UNITS, 'ms'], ['---', ...UNITS.map(() => '---'), '---'], ...cells].map(text).join('');
}

/** Returns whether the response of an operation is always a file. */
function isFile(walked: Walked): boolean {
  return sendsCsv(walked) && !walked.fields.some(({ name }) => name === 'format');
}

/** Returns whether an operation can send CSV. */
function sendsCsv({ operation }: Walked): boolean {
  return JSON.stringify(operation.responses).includes('text/csv');
}

onFakeNodeWithSqlite(
  'the work between two turns',
  (service) => {
    let world: World;
    let walk: Walked[];
    let wallets: readonly string[];
    let stretches: ReturnType<typeof countStretches> | undefined;

    beforeAll(async () => {
      walk = operationsOf(await servedApi(service.client));
      world = await createWorld(service, walk);
      for (const walked of walk)
        if (walked.method === 'POST') await send(world.client, walked, await world.goodValues(walked, 'most'), owner());
      wallets = await fillAccount(service, world);
      const counted = countStretches();
      stretches = counted;
      signatures.onUse = () => counted.add('signatures', 1);
    }, 300_000);
    afterAll(() => {
      stretches?.stop();
      if (process.env.TURNS_REPORT) writeFileSync(process.env.TURNS_REPORT, tableOf(report));
    });
    const report: Reported[] = [];

    const counted = () => stretches ?? countStretches();
    const outsideInvoice = async () => (await world.client.post('/playground/invoice', { num_satoshis: 1 })).payment_request;
    const owner = () => ({ key: world.client.secretKey });

    /** Returns what a stretch did beyond the limits. */
    function problemsOf(what: string, { units, causes }: Stretch): string[] {
      return UNITS.filter((unit) => units[unit] > MOST[unit]).map(
        (unit) => `${what}: ${units[unit]} ${unit} in one stretch (${causes[unit]})`,
      );
    }

    /** The most expensive requests of an operation: the largest page, the last one by number, each filter, and a list of the most lines. */
    function worstRequests(walked: Walked, good: Values): Requested[] {
      const { fields } = walked;
      const query = new Map(fields.flatMap((field) => (field.in === 'query' ? [[field.name, field.schema]] : [])));
      const page = { ...(query.has('per-page') && { 'per-page': 100 }), ...(query.has('count') && { count: 1 }) };
      const withQuery = (what: string, more: object) => ({ what, values: { ...good, query: { ...good.query, ...page, ...more } } });
      const filters = Object.entries(FILTERS).filter(([name]) => query.has(name) && !(isFile(walked) && name === 'to'));
      const requests = filters.map(([name, value]) => withQuery(name, { [name]: value }));
      // Long files have a test of their own.
      if (!isFile(walked)) requests.push(withQuery('least', {}));
      if (query.has('page')) requests.push(withQuery('page=100', { page: 100 }));
      for (const name of ['status', 'type', 'order', 'interval'])
        for (const value of new Set([query.get(name)?.enum?.[0], query.get(name)?.enum?.at(-1)]))
          if (value !== undefined && !isFile(walked)) requests.push(withQuery(`${name}=${value}`, { [name]: value }));
      if (fields.some(({ name }) => name === 'lines'))
        requests.push({ what: `${LINES} lines`, values: { ...good, body: { ...good.body, lines: lines() } } });
      return requests;

      function lines(): object[] {
        const [line] = good.body.lines as Readonly<Record<string, unknown>>[];
        const name = line && 'destination' in line ? 'destination' : 'dest_wallet_id';
        return wallets.map((id) => ({ [name]: id, num_satoshis: 1, memo: 'wages' }));
      }
    }

    it('is within the rule for each operation at its worst, also for what it causes in the background', async () => {
      const problems: string[] = [];
      let requests = 0;
      for (const walked of walk) {
        const worst = worstRequests(walked, await world.goodValues(walked, 'least'));
        if (walked.method !== 'GET') worst.push({ what: 'all fields', values: await world.goodValues(walked, 'most') });
        for (const { what, values } of worst) {
          const name = walked.operation.operationId ?? '';
          const stretch = await counted().largestDuring(() => send(world.client, walked, values, owner()));
          report.push({ name, what, stretch });
          if (!UNBOUNDED.has(name)) problems.push(...problemsOf(`${name}, ${what}`, stretch));
          requests += 1;
        }
      }
      expect(problems).toEqual([]);
      expect(requests).toBeGreaterThan(300);
    }, 600_000);

    it('is within the rule for the lists of LNDhub', async () => {
      const app = appOfWallet(world.client, world.wallet);
      const problems: string[] = [];
      for (const path of LNDHUB_LISTS) {
        const { status } = await app.send('GET', path);
        problems.push(
          ...problemsOf(path, await counted().largestDuring(() => app.send('GET', path))),
          ...(status === 200 ? [] : [`${path} is ${status}`]),
        );
      }
      expect(problems).toEqual([]);
    });

    it('is within the rule for the requests of a connected app', async () => {
      const app = await connectApp(world.client, world.wallet.id);
      await app.call('get_info');
      const invoices = await Promise.all(Array.from({ length: 20 }, async () => ({ invoice: await outsideInvoice() })));
      const problems: string[] = [];
      for (const [method, params] of [
        ['list_transactions', { limit: 50, offset: 10_000 }],
        ['list_transactions', { limit: 50, offset: 10_000, unpaid: true, from: 1 }],
        ['list_transactions', { limit: 50, type: 'outgoing', until: 2_000_000_000 }],
        ['get_balance', {}],
        ['multi_pay_invoice', { invoices }],
      ] as const) {
        const stretch = await counted().largestDuring(() => app.call(method, params));
        problems.push(...problemsOf(`${method} ${JSON.stringify(params).slice(0, 60)}`, stretch));
      }
      app.close();
      expect(problems).toEqual([]);
    });

    it('answers /healthz while each operation sends a long list as CSV', async () => {
      const problems: string[] = [];
      const long: string[] = [];
      for (const walked of walk.filter(sendsCsv)) {
        const { path } = await world.goodValues(walked, 'least');
        const address = walked.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
        const url = `${world.client.url}${address}${isFile(walked) ? '' : '?format=csv'}`;
        const name = walked.operation.operationId ?? '';
        const stretch = await counted().largestDuring(async () => {
          const { body } = await fetch(url, { headers: { 'x-api-key': world.client.secretKey } });
          let [rows, isHealthy] = [0, false];
          for await (const chunk of body ?? []) {
            // The service goes on as fast as this reads, and has sent the whole file in the end.
            if (rows === 0) void fetch(`${world.client.url}/healthz`).then(({ ok }) => (isHealthy = ok));
            rows += Buffer.from(chunk).toString().split('\n').length - 1;
            if (isHealthy && rows >= SOME) break;
          }
          if (rows < SOME) return;
          long.push(name);
          if (!isHealthy) problems.push(`${name}: /healthz was answered after ${rows} rows`);
        });
        problems.push(...problemsOf(`${name} as CSV`, stretch));
      }
      expect(problems).toEqual([]);
      expect(long).toEqual(expect.arrayContaining(['exportTransactions', 'getStatement', 'listEvents', 'listWalletEvents']));
    }, 300_000);

    it('is within the rule for background jobs: replays and deletions of deliveries, and the end of a retention period', async () => {
      const problems: string[] = [];
      const hook = await world.client.post('/v1/webhooks', { url: 'https://hook.invalid/' });
      const queued = async () =>
        (await service.rows('SELECT 1 AS one FROM webhook_delivery WHERE webhook_id = $1 LIMIT 4001', hook.id)).length;
      const replay = async () => {
        await world.client.post(`/v1/webhooks/${hook.id}/replay`, { from: 1, to: 2_000_000_000 });
        await expect.poll(queued).toBeGreaterThan(4000);
      };
      problems.push(...problemsOf('a replay', await counted().largestDuring(replay)));
      const remove = async () => {
        await world.client.request('DELETE', `/v1/webhooks/${hook.id}`, owner());
        // The newest delivery of all webhooks stays.
        await expect.poll(queued).toBeLessThanOrEqual(1);
      };
      problems.push(...problemsOf('a deletion', await counted().largestDuring(remove)));
      problems.push(...problemsOf('expiry', await counted().largestDuring(() => service.endEventRounds(100))));
      expect(problems).toEqual([]);
    });
  },
  SETTINGS,
);
