import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import { startChild } from '../devnet/playground/support/shared.ts';
import type { Json } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runSatchel, type ServiceProcess, startProcess } from '../support/process.ts';
import { beBusy, type Made } from './secrets/busy.ts';
import { makeMistakes } from './secrets/mistakes.ts';
import { filesOf, type Place, rowsOf } from './secrets/places.ts';
import { type RecordedResponse, Recorder } from './secrets/recorder.ts';
import { Secrets } from './secrets/secrets.ts';

const BREAKING = 'test/process/secrets/breaking-service.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`A4: a secret appears only in the response that created it (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const folder = mkdtempSync(join(tmpdir(), 'satchel-secrets-'));
    const data = join(folder, 'data');
    const spansFile = join(folder, 'spans');
    const spans = () => readFileSync(spansFile, 'utf8');
    const secretKey = newKeyText('secret_api');
    const nodeSecret = randomBytes(24).toString('hex');
    const mailPassword = randomBytes(24).toString('hex');
    const botToken = `123456789:${randomBytes(24).toString('hex')}`;
    const secrets = new Secrets();
    secrets.learn('the bootstrap key', secretKey);
    secrets.learn('the secret of LIGHTNING_URL', nodeSecret);
    secrets.learn('the password of SMTP_URL', mailPassword);
    secrets.learn('the secret of TELEGRAM_BOT_TOKEN', botToken.split(':')[1] ?? '');
    const play = { DATA_DIR: join(folder, 'node'), PLAYGROUND_PORT: '0', PLAYGROUND_SECRET: nodeSecret, LOG_LEVEL: 'trace' };
    const node = startChild('src/cli/satchel.ts', ['playground'], play);
    let databaseUrl = '';
    let service: ServiceProcess;
    let recorder: Recorder;
    let made: Made;

    beforeAll(async () => {
      const [, LIGHTNING_URL = ''] = await node.line(/LIGHTNING_URL='(.*)'/);
      databaseUrl = dialect === 'sqlite' ? `sqlite:${join(data, 'satchel.db')}` : await urls();
      const own = {
        LIGHTNING_URL,
        BOOTSTRAP_SECRET_KEY: secretKey,
        LOG_LEVEL: 'trace',
        RECONCILE_SECONDS: '1',
        SPANS_FILE: spansFile,
        LNDHUB: 'true',
        // Nothing listens there.
        SMTP_URL: `smtp://ops:${mailPassword}@127.0.0.1:1`,
        ALERT_EMAIL_TO: 'ops@example.com',
        ALERT_EMAIL_FROM: 'satchel@example.com',
        TELEGRAM_BOT_TOKEN: botToken,
        TELEGRAM_CHAT_ID: '42',
      };
      service = await startProcess({ ...(await processSettings(data, databaseUrl)), ...own }, BREAKING);
      recorder = new Recorder(service.client);
      made = await beBusy(recorder, secrets, secretKey);
    });
    afterAll(async () => {
      await service.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    const inAnswers = () =>
      recorder.responses
        .map((response) => [response.request.slice(0, 40), secrets.foundInResponse(response)])
        .filter(([, found]) => found?.length);
    const places = async (): Promise<Place[]> => [...filesOf(data), ...(dialect === 'postgres' ? await rowsOf(databaseUrl) : [])];

    it('finds each secret where it must appear', () => {
      const kinds = [
        'bootstrap',
        'LIGHTNING_URL',
        'Wallet Admin',
        'Wallet Invoice',
        'Wallet Read',
        'new secret_api',
        'rotated wallet_admin',
        'the secret of a webhook',
        'rotated secret of a webhook',
        'other wallet: Wallet Admin',
        'setup token',
        'session of a login',
        'ott',
        'balance',
        'k1',
      ];
      for (const kind of kinds) expect(secrets.names.some((name) => name.includes(kind))).toBe(true);
      const shown = recorder.responses.flatMap((response) => secrets.foundIn(response.text));
      expect(new Set(shown)).toEqual(new Set(secrets.names.filter((name) => !/bootstrap|LIGHTNING_URL|TELEGRAM|password/.test(name))));
      for (const encoded of [`${secretKey}:`, `x${secretKey}`, `xy${secretKey}:`].map((text) => Buffer.from(text).toString('base64')))
        expect(secrets.foundIn(`Basic ${encoded}`)).toEqual(['the bootstrap key']);
      expect(secrets.foundIn(Buffer.from(`\u0001${made.ott}`))).toHaveLength(1);
      expect(secrets.foundIn(newKeyText('wallet_admin'))).toEqual([expect.stringContaining('something like a key')]);
    });

    it('finds none in events', async () => {
      const lists = [
        await recorder.request('GET', '/v1/events?per-page=100', { key: secretKey }),
        await recorder.request('GET', `/v1/wallet/${made.wallet}/events?per-page=100`, { key: made.keys.read }),
        await recorder.request('GET', `/v1/events?per-page=1&wallet_id=${made.keys.admin}&access-token=${secretKey}`),
      ];
      expect(lists.map(({ status }) => status)).toEqual([200, 200, 200]);
      const names = new Set(lists[0]?.body.map(({ event }: Json) => event.name));
      for (const name of [
        'wallet_created',
        'invoice_created',
        'wallet_send',
        'wallet_send_failure',
        'link_claimed',
        'key_created',
        'key_revoked',
      ])
        expect(names).toContain(name);
      for (const { text } of lists) expect(secrets.foundIn(text)).toEqual([]);
    });

    it('finds none in what is shown about channels for alerts that fail', async () => {
      for (const channel of ['email', 'telegram']) {
        const json = { channel };
        const headers = { 'idempotency-key': channel };
        const { status, body } = await recorder.request('POST', '/v1/operator/alert-channels/test', { key: secretKey, json, headers });
        expect([status, body.status]).toEqual([200, 'failing']);
      }
      expect(inAnswers()).toEqual([]);
      expect(service.output()).toContain('a message about alerts was not sent');
      expect(secrets.foundIn(service.output() + spans())).toEqual([]);
    });

    it('finds none in any other response, log line, file or database row', async () => {
      expect(inAnswers()).toEqual([]);
      expect(secrets.foundIn(service.output())).toEqual([]);
      const searched = await places();
      expect(searched.map(({ name }) => name)).toEqual(
        expect.arrayContaining(
          dialect === 'sqlite'
            ? ['satchel.db', 'satchel.db-wal']
            : ['access_key', 'withdraw_link', 'payment', 'event', 'idempotency_outcome'],
        ),
      );
      expect(searched.map(({ name, holds }) => [name, secrets.foundIn(holds)]).filter(([, found]) => found?.length)).toEqual([]);
    });

    it('repeats no secret that a request contains in the wrong place', async () => {
      const before = recorder.responses.length;
      await makeMistakes(recorder, made);
      expect(recorder.responses.length - before).toBeGreaterThan(1000);
      expect(inAnswers()).toEqual([]);
      expect(secrets.foundIn(service.output())).toEqual([]);
    }, 240_000);

    it('finds none, and no invoice, memo or address, in the spans of all of this', () => {
      const names = new Set(Array.from(spans().matchAll(/"name":"([^"]+)"/g), ([, name = '']) => name));
      for (const name of ['POST /v1/wallet', 'posting', 'ledger batch', 'node createInvoice', 'node pay', 'webhook delivery'])
        expect(names).toContain(name);
      expect(secrets.foundIn(spans())).toEqual([]);
      for (const { payment_request, memo, payment_hash } of [made.openInvoice, made.paidInvoice])
        for (const text of [payment_request, payment_hash, ...(memo ? [memo] : [])]) expect(spans()).not.toContain(text);
      expect(spans()).not.toMatch(/lnbc|:\/\/|\?|@|busy/);
    });

    it('keeps secrets out of errors and log lines when the database is broken', async () => {
      await service.send({ broken: true });
      const { admin, read } = made.keys;
      const broken: RecordedResponse[] = [];
      for (const [method, path, json] of [
        ['GET', '/v1/wallets', undefined],
        ['GET', `/v1/wallet/${admin}x`, undefined],
        ['POST', '/v1/wallet', {}],
        ['POST', `/v1/wallet/${read}/invoice`, { num_satoshis: 1 }],
        ['GET', `/v1/lntx/${made.ott}`, undefined],
        ['GET', `/v1/wallet/waklw_x/lnurl-process?ott=${made.ott}`, undefined],
      ] as const)
        broken.push(await recorder.request(method, path, { key: newKeyText('wallet_admin'), ...(json && { json }) }));
      expect(broken.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500, 200]);
      await service.send({ broken: false });
      expect(service.output()).toMatch(/unexpected error/);
      expect(inAnswers()).toEqual([]);
      expect(secrets.foundIn(service.output() + spans())).toEqual([]);
    });

    it('keeps the secret of the node’s address out of the alert when the node is silent', async () => {
      await node.end('SIGKILL');
      await expect.poll(() => service.output(), { interval: 200 }).toContain('alert: node_silent');
      await recorder.request('POST', `/v1/wallet/${made.keys.admin}/invoice`, { key: secretKey, json: { num_satoshis: 1 } });
      expect(recorder.responses.at(-1)?.status).toBe(503);
      expect(inAnswers()).toEqual([]);
      expect(secrets.foundIn(service.output())).toEqual([]);
      expect((await places()).flatMap(({ holds }) => secrets.foundIn(holds))).toEqual([]);
    });

    it('stores the preimage of an open invoice, and keeps it out of responses and log lines until the payment', async () => {
      const preimages = await preimagesOf(dialect, databaseUrl);
      const open = preimages.get(made.openInvoice.id);
      const paid = preimages.get(made.paidInvoice.id);
      // By design, the preimage lets the service settle an invoice internally, without the node.
      expect(open).toMatch(/^[0-9a-f]{64}$/);
      expect(paid).toMatch(/^[0-9a-f]{64}$/);
      const showing = (preimage = '') => recorder.responses.filter(({ text }) => text.includes(preimage));
      expect(showing(open)).toEqual([]);
      expect(showing(paid).length).toBeGreaterThan(0);
      const shown = showing(paid).map(({ body }) => lightningsOf(body, made.paidInvoice.id).filter((one) => one.payment_preimage === paid));
      for (const found of shown) expect(new Set(found.map(({ settled }) => settled))).toEqual(new Set([1]));
      for (const preimage of preimages.values()) for (const text of [service.output(), spans()]) expect(text).not.toContain(preimage);
    });
  });
}

describe('A4: a failed start does not repeat the invalid setting', () => {
  const SECRET = 'verySecretWord0123456789';
  it.each([
    ['LIGHTNING_URL', `playground://127.0.0.1:1?secret=${SECRET}&more=1`],
    ['LIGHTNING_URL', `lnd:/${SECRET}`],
    ['DATABASE_URL', `postgres://satchel:${SECRET}@127.0.0.1:1/satchel`],
    ['DATABASE_URL', `mysql://satchel:${SECRET}@127.0.0.1:1/satchel`],
    ['BOOTSTRAP_SECRET_KEY', `sak_${SECRET}!`],
    ['PUBLIC_URL', `https://user:${SECRET}@example.com`],
  ])('%s=%s', async (name, value) => {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-secrets-'));
    try {
      const { code, output } = await runSatchel(['serve'], { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'trace', [name]: value });
      expect(code).toBe(1);
      expect(output).toContain('Satchel cannot start');
      expect(output).not.toContain(SECRET);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Returns the preimages in the database, by the id of the invoice. */
async function preimagesOf(dialect: Dialect, databaseUrl: string): Promise<Map<string, string>> {
  const query = 'SELECT id, preimage FROM invoice WHERE preimage IS NOT NULL';
  const rows = dialect === 'sqlite' ? fromSqlite(databaseUrl.slice('sqlite:'.length), query) : await fromPostgres(databaseUrl, query);
  return new Map(rows.map(({ id, preimage }) => [id, preimage]));
}

function fromSqlite(file: string, query: string): Json[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

async function fromPostgres(connectionString: string, query: string): Promise<Json[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(query)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the lightning transactions with this id in a response. */
function lightningsOf(body: Json, id: string): Json[] {
  if (typeof body !== 'object' || body === null) return [];
  return body.id === id ? [body] : Object.values(body).flatMap((inner) => lightningsOf(inner, id));
}
