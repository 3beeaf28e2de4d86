import { beforeAll, expect, it } from 'vitest';
import { KEY_KINDS, type KeyKind } from '../../src/core/accounts/keys.ts';
import { UNREACHABLE_MAIL_SERVER } from '../support/alert-channel.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';
import { hostileRequests, hostileToDatabase } from './conformance/hostile.ts';
import { createJudge, type Judge } from './conformance/judge.ts';
import { needOf, operationsOf, servedApi, type Values, type Walked } from './conformance/operations.ts';
import { send } from './conformance/send.ts';
import { sideBySide } from './conformance/side-by-side.ts';
import { createWorld, UNAVAILABLE, type World } from './conformance/world.ts';

// A payment that stays open returns 202 at once, so no request has to wait for it.
// The service calls its own links. Attempts to log in are not limited.
const SETTINGS = {
  PAYMENT_WAIT_SECONDS: '0',
  PROOF_INTERVAL_SECONDS: '1',
  OUTBOUND_ALLOW: '127.0.0.1',
  ADDRESS_RATE_LIMIT_PER_SECOND: '0',
  UNLIMITED_LOGINS: 'true',
  MAX_HELD_PER_WALLET: '10000',
  MAX_HELD_PER_ACCOUNT: '10000',
  // Nothing listens there: an account can choose a currency without a rate.
  FIAT_RATES: 'http://127.0.0.1:1/{currency}#rate',
  FIAT_CURRENCIES: 'EUR',
  ...UNREACHABLE_MAIL_SERVER,
};

onFakeNode(
  'conformance to the OpenAPI document',
  (service, dialect) => {
    let world: World;
    let judge: Judge;
    let walk: Walked[];

    beforeAll(async () => {
      const document = await servedApi(service.client);
      judge = createJudge(document);
      walk = operationsOf(document);
      world = await createWorld(service, walk);
    });

    function problemsIn(
      walked: Walked,
      what: string,
      response: HttpResponse,
      more: (response: HttpResponse) => string | undefined = () => undefined,
    ) {
      const own = response.status >= 500 && walked.operation.operationId !== 'getReadiness' ? [`is ${response.status}`] : [];
      return [...own, ...judge(walked, response), more(response)]
        .filter((problem) => problem !== undefined)
        .map((problem) => `${walked.operation.operationId}, ${what}: ${problem}`);
    }

    it('follows the description in every operation, as JSON and as a form, at both addresses', async () => {
      const problems: string[] = [];
      for (const walked of walk) {
        for (const [how, as, atAlias] of [
          ['least', 'json', false],
          ['most', 'form', true],
          ['most', 'json', false],
        ] as const) {
          const response = await send(world.client, walked, await world.goodValues(walked, how), {
            key: world.client.secretKey,
            // A form has no list of lines; CSV has.
            as: walked.fields.some(({ name }) => name === 'lines') ? 'json' : as,
            atAlias,
          });
          const wasRefused = (response: HttpResponse) =>
            isRefused(response) && !UNAVAILABLE.has(walked.operation.operationId ?? '')
              ? `is rejected; add a valid value to conformance/world.ts: ${response.text.slice(0, 200)}`
              : undefined;
          problems.push(...problemsIn(walked, `${how}, ${as}`, response, wasRefused));
        }
      }
      expect(problems).toEqual([]);
      expect(walk.length).toBeGreaterThan(20);
    });

    it('returns a described response to wrong input, and rejects requests that the description forbids', async () => {
      const problems: string[] = [];
      let count = 0;
      for (const walked of walk) {
        const good = await world.goodValues(walked, 'least');
        // What validation does with a request is the same on both databases.
        const sent = dialect === 'postgres' ? hostileToDatabase(walked, good) : hostileRequests(walked, good);
        const found = await sideBySide(sent, async ({ what, values, forbidden }) => {
          const response = await send(world.client, walked, values, { key: world.client.secretKey });
          // Some of the requests are valid. `fields` selects a part of the response.
          if (!isRefused(response) && isSelection(values)) return [];
          return problemsIn(walked, what, response, () => (forbidden && !isRefused(response) ? 'is accepted' : undefined));
        });
        problems.push(...found.flat());
        count += sent.length;
      }
      expect(problems).toEqual([]);
      expect(count).toBeGreaterThan(500);
    });

    // What is rejected before the database is read is the same on both, and so are the permissions and what needs the node.
    it.runIf(dialect === 'sqlite')('rejects an unreadable body in every operation that takes one', async () => {
      const problems: string[] = [];
      for (const walked of walk.filter(({ operation }) => operation.requestBody)) {
        const { path } = await world.goodValues(walked, 'least');
        const address = walked.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
        for (const { status, json, headers } of UNREADABLE) {
          const own = { 'sec-fetch-site': 'same-origin', ...headers };
          const response = await world.client.request(walked.method, address, { key: world.client.secretKey, json, headers: own });
          problems.push(
            ...problemsIn(walked, json.slice(0, 20), response, () => (response.status === status ? undefined : `is not ${status}`)),
          );
        }
      }
      expect(problems).toEqual([]);
    });

    it.runIf(dialect === 'sqlite')('gives each kind of key the permissions in the description, and no others', async () => {
      const problems: string[] = [];
      const keys = keysOf(world);
      for (const walked of walk) {
        const need = needOf(walked);
        // Without valid values, an operation that needs no key answers like one with a wrong key.
        if (need === undefined && UNAVAILABLE.has(walked.operation.operationId ?? '')) continue;
        const unused = await world.goodValues(walked, 'least');
        const sendWith = async ({ kind, key }: (typeof keys)[number]) => {
          const expected = expectedFor(need, kind, unused.path.key !== undefined);
          // A request that must be rejected uses nothing up.
          const good = expected(200) ? await world.goodValues(walked, 'least') : unused;
          const values = kind === 'public_api' && good.path.key ? { ...good, path: { ...good.path, key: world.wallet.invoice } } : good;
          const response = await send(world.client, walked, values, { key });
          const wrong = () => (expected(response.status) ? undefined : `answers ${response.status} where ${need} is needed`);
          return problemsIn(walked, `with ${kind}`, response, wrong);
        };
        // Valid values of these operations change the one password of the account.
        const found = await sideBySide(keys, sendWith, walked.path.startsWith('/v1/session') ? 1 : undefined);
        problems.push(...found.flat());
      }
      expect(problems).toEqual([]);
    });

    it.runIf(dialect === 'sqlite')('returns at worst 503 without the node, and only where the node is needed', async () => {
      const requests: [Walked, Values][] = [];
      for (const walked of walk) requests.push([walked, await world.goodValues(walked, 'least')]);
      for (const call of ['createInvoice', 'pay', 'keysend', 'cancelInvoice', 'lookupInvoice', 'lookupPayment', 'info'] as const)
        service.net.always(call, { unavailable: true });
      const problems: string[] = [];
      let away = 0;
      for (const [walked, values] of requests) {
        const response = await send(world.client, walked, values, { key: world.client.secretKey });
        if (response.status === 503) away += 1;
        const isFine = response.status < 500 || response.status === 503;
        problems.push(...judge(walked, response), ...(isFine ? [] : [`${walked.operation.operationId} is ${response.status}`]));
      }
      expect(problems).toEqual([]);
      expect(away).toBeGreaterThan(0);
    });

    it('keeps the books balanced after all of these requests', async () => {
      expect(await service.problems()).toEqual([]);
    });
  },
  SETTINGS,
);

const UNREADABLE = [
  { status: 400, json: '{"a":', headers: {} },
  { status: 400, json: '[]', headers: {} },
  { status: 400, json: '"text"', headers: {} },
  { status: 400, json: `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, headers: {} },
  { status: 400, json: '{"__proto__":{"a":1}}', headers: {} },
  { status: 413, json: JSON.stringify({ a: 'x'.repeat(1_100_000) }), headers: {} },
  { status: 415, json: 'text', headers: { 'content-type': 'text/plain' } },
];

function isRefused(response: HttpResponse): boolean {
  const body: Json = response.body;
  return response.status >= 400 || body?.status === 'ERROR';
}

function isSelection(values: Values): boolean {
  return values.query.fields !== undefined;
}

function keysOf({ client, wallet }: World): { kind: KeyKind | 'nobody' | 'unknown'; key: string | undefined }[] {
  return [
    { kind: 'nobody', key: undefined },
    { kind: 'unknown', key: 'sak_unknown' },
    { kind: 'secret_api', key: client.secretKey },
    { kind: 'public_api', key: client.publicKey },
    { kind: 'wallet_admin', key: wallet.admin },
    { kind: 'wallet_invoice', key: wallet.invoice },
    { kind: 'wallet_read', key: wallet.read },
    { kind: 'wallet_lnurl_withdraw', key: wallet.lnurlWithdraw },
    { kind: 'wallet_lnurl_pay', key: wallet.lnurlPay },
  ];
}

/**
 * Returns whether a status is possible for a kind of key. If the path names a wallet, a public API key is sent with an invoice key in the
 * path, whose permissions apply.
 */
function expectedFor(need: string | undefined, kind: KeyKind | 'nobody' | 'unknown', namesWallet: boolean): (status: number) => boolean {
  if (need === undefined) return (status) => status !== 401 && status !== 403;
  if (kind === 'nobody' || kind === 'unknown') return (status) => status === 401;
  const allowed = (status: number) => status !== 401 && status !== 403;
  if (kind.startsWith('wallet_lnurl_')) return (status) => status === 403;
  if (need === 'any_key') return (status) => status !== 401;
  if (need === 'account' || need === 'operator') return kind === 'secret_api' ? allowed : (status) => status === 403;
  if (need === 'secret_key') return KEY_KINDS[kind].isPublic ? (status) => status === 403 : allowed;
  const counts = kind === 'public_api' && namesWallet ? 'wallet_invoice' : kind;
  return (KEY_KINDS[counts].permissions as readonly string[]).includes(need) ? allowed : (status) => status === 403;
}
