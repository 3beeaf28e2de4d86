import { channel } from 'node:diagnostics_channel';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { outsideRequest } from '../../../src/core/kernel/booking-mark.ts';
import { randomText, secretHash } from '../../../src/core/kernel/ids.ts';
import { changesSomething, needOf, operationsOf, servedApi, type Values, type Walked } from '../../openapi/conformance/operations.ts';
import { send } from '../../openapi/conformance/send.ts';
import { createWorld, UNAVAILABLE, type World } from '../../openapi/conformance/world.ts';
import { UNREACHABLE_MAIL_SERVER } from '../../support/alert-channel.ts';
import type { FakeNodeApp } from '../../support/app.ts';

/** Operations that read the node, or end only the session of a browser. With this credential they change nothing and succeed. */
const READS: Readonly<Record<string, readonly string[]>> = {
  recheckPayment: ['key', 'session', 'operator'],
  logOut: ['key'],
};

/** Operations through which no money leaves. A frozen account may use them. */
const WITHOUT_MONEY: ReadonlySet<string> = new Set([
  'revokeWithdrawLink',
  'cancelPayout',
  'createPayLink',
  'updatePayLink',
  'changePayLink',
  'deletePayLink',
]);

/** How a request is sent with a credential, and how its right ends. */
interface Credential {
  readonly key?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly pathKey?: string;
  end(): Promise<void>;
  restore?(): Promise<void>;
}

/** A kind of credential, and the operations that it may call. */
interface CredentialKind {
  readonly status: 400 | 401 | 403;
  accepts(need: string, walked: Walked): boolean;
  issue(): Promise<Credential>;
}

const handlerStarts = channel('tracing:fastify.request.handler:start');
const FAR_FUTURE = 4_000_000_000;

/** The settings of the service for {@link testEndedRights}. */
export const SETTINGS = {
  UNLIMITED_LOGINS: 'true',
  PAYMENT_WAIT_SECONDS: '0',
  PROOF_INTERVAL_SECONDS: '1',
  OUTBOUND_ALLOW: '127.0.0.1',
  // Nothing listens there: an account can choose a currency without a rate.
  FIAT_RATES: 'http://127.0.0.1:1/{currency}#rate',
  FIAT_CURRENCIES: 'EUR',
  ...UNREACHABLE_MAIL_SERVER,
  ADDRESS_RATE_LIMIT_PER_SECOND: '0',
};

/** Tests each operation of the documents that may change something, with each kind of credential that it accepts. */
export function testEndedRights(service: FakeNodeApp): void {
  let world: World;
  let operations: Walked[];
  let kinds: Record<string, CredentialKind>;

  beforeAll(async () => {
    const walk = operationsOf(await servedApi(service.client));
    world = await createWorld(service, walk);
    kinds = await credentialKinds(service, world);
    operations = walk.filter((walked) => needOf(walked) !== undefined && changesSomething(walked));
  });
  afterEach(() => {
    service.beforeTransaction = undefined;
    service.requestWrites = undefined;
  });

  /** Sends a request, and ends the right between the check of the request and its first transaction. */
  async function sendWhileEnding(walked: Walked, values: Values, { key, header, pathKey, end }: Credential) {
    // Those that the request causes come later.
    let own: FastifyRequest | undefined;
    let ending: Promise<void> | undefined;
    const noteFirst = (message: unknown) => {
      own ??= (message as { readonly request: FastifyRequest }).request;
    };
    handlerStarts.subscribe(noteFirst);
    service.beforeTransaction = () => {
      if (own?.credential) ending ??= outsideRequest(end);
      return ending;
    };
    const path = pathKey !== undefined && 'key' in values.path ? { ...values.path, key: pathKey } : values.path;
    service.requestWrites = [];
    const response = await send(world.client, walked, { ...values, path, header: { ...values.header, ...header } }, { key });
    service.beforeTransaction = undefined;
    handlerStarts.unsubscribe(noteFirst);
    const writes = service.requestWrites;
    service.requestWrites = undefined;
    // The refusal is stored under the Idempotency-Key, in a transaction. The ledger commits postings outside of requests.
    const changes = writes.filter((name) => !name.startsWith('idempotency_'));
    if (own?.booking?.mayHaveBooked && writes.length === 0) changes.push('a posting');
    return { response, hasEnded: ending !== undefined, changes };
  }

  it('A3: changes nothing with any operation, for each kind of credential', async () => {
    const problems: string[] = [];
    const checked: Record<string, number> = {};
    for (const walked of operations) {
      const { operationId = '' } = walked.operation;
      if (UNAVAILABLE.has(operationId)) continue;
      const values = await world.goodValues(walked, walked.method === 'GET' ? 'most' : 'least');
      for (const [name, kind] of Object.entries(kinds)) {
        if (!kind.accepts(needOf(walked) ?? '', walked)) continue;
        const credential = await kind.issue();
        const { response, hasEnded, changes } = await sendWhileEnding(walked, values, credential);
        await credential.restore?.();
        checked[name] = (checked[name] ?? 0) + 1;
        const isRead = READS[operationId]?.includes(name) === true;
        const isRejected = isRead ? response.status < 300 : hasEnded && response.status === kind.status;
        if (!isRejected || changes.length > 0) problems.push(`${operationId} with ${name}: ${response.status} ${changes} ${response.text}`);
      }
      // The values are those of a valid request.
      const { status, text } = await send(world.client, walked, values, { key: world.client.secretKey });
      if (status >= 400) problems.push(`${operationId} with a valid key: ${status} ${text}`);
    }
    expect(problems).toEqual([]);
    expect(Math.min(...Object.keys(kinds).map((name) => checked[name] ?? 0))).toBeGreaterThan(5);
  });
}

async function credentialKinds({ client, execute }: FakeNodeApp, { wallet }: World): Promise<Record<string, CredentialKind>> {
  const { id: accountId } = await client.get('/v1/account');
  const setRole = (role: string) => execute('UPDATE account SET role = $2 WHERE id = $1', accountId, role);
  const setStatus = (status: string) => execute('UPDATE account SET status = $2 WHERE id = $1', accountId, status);
  const isOfWallet = (need: string) => need.startsWith('wallet_');
  async function issueKey(path: string, kind: string) {
    const { id, key } = await client.post(path, { kind });
    return { key, end: () => execute('UPDATE access_key SET revoked_at = 1 WHERE id = $1', id) };
  }
  const walletKey = () => issueKey(`/v1/wallet/${wallet.id}/keys`, 'wallet_admin');
  return {
    key: { status: 401, accepts: () => true, issue: () => issueKey('/v1/keys', 'secret_api') },
    'wallet key': { status: 401, accepts: isOfWallet, issue: walletKey },
    'public key and wallet key': {
      status: 401,
      accepts: (need, { path }) => isOfWallet(need) && path.includes('{key}'),
      async issue() {
        const { key: pathKey, end } = await walletKey();
        return { key: client.publicKey, pathKey, end };
      },
    },
    session: {
      status: 401,
      accepts: () => true,
      async issue() {
        const secret = randomText(43);
        const id = `ses_${randomText(22)}`;
        await execute(
          `INSERT INTO session (id, account_id, secret_hash, method, user_agent, created_at, last_used_at, expires_at, latest_expires_at)
           VALUES ($1, $2, $3, 'password', '', $4, $4, $5, $5)`,
          id,
          accountId,
          secretHash(secret),
          Math.floor(Date.now() / 1000),
          FAR_FUTURE,
        );
        const header = { cookie: `satchel_session=${secret}`, 'sec-fetch-site': 'same-origin' };
        return { header, end: () => execute('UPDATE session SET revoked_at = 1 WHERE id = $1', id) };
      },
    },
    operator: {
      status: 403,
      accepts: (need) => need === 'operator',
      issue: async () => ({ key: client.secretKey, end: () => setRole('member'), restore: () => setRole('operator') }),
    },
    'account that is frozen': {
      status: 400,
      accepts: (need, { operation }) =>
        ['wallet_withdraw', 'wallet_transfer'].includes(need) && !WITHOUT_MONEY.has(operation.operationId ?? ''),
      issue: async () => ({ key: client.secretKey, end: () => setStatus('frozen'), restore: () => setStatus('active') }),
    },
  };
}
