import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { SteppedTime } from '../../devnet/fake/time.ts';
import type { Satchel } from '../../src/app.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import type { Client } from '../support/client.ts';
import { problemsOf, silentLog } from '../support/ledger.ts';
import { startOnDatabase } from '../support/service-on-database.ts';
import { startWaitingPostgres, type WaitingPostgres } from '../support/waiting-postgres.ts';

describe('a service on a PostgreSQL server whose synchronous standby is missing', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-standby-'));
  let server: WaitingPostgres;
  let satchel: Satchel;
  let client: Client;

  beforeAll(async () => {
    server = await startWaitingPostgres();
    const net = new FakeNetwork({ seed: 'missing standby', time: new SteppedTime() });
    ({ satchel, client } = await startOnDatabase(net, { DATA_DIR: dataDir, DATABASE_URL: server.url }, (url, options) =>
      openDatabase(url, { ...options, stalledMs: 200 }),
    ));
  });
  afterAll(async () => {
    await server?.release();
    await satchel?.close();
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('P2: is not ready, answers new requests with 503 and reads with 200, and is ready again when the standby is back', async () => {
    const [from, to] = [await client.wallet(1000), await client.wallet()];
    const transfer = () =>
      client.request('POST', `/v1/wallet/${from.id}/transfer`, { key: from.admin, json: { dest_wallet_id: to.id, num_satoshis: 1 } });
    const readiness = () => client.request('GET', '/readyz');
    expect(await readiness()).toMatchObject({ status: 200, body: { database: 'ok' } });

    await server.stall();
    const begun = transfer();
    await server.untilWaiting();
    await expect.poll(readiness).toMatchObject({ status: 503, body: { status: 'not ready', database: 'read_only' } });
    const changes = [
      ...Array.from({ length: 32 }, transfer),
      client.request('POST', '/v1/wallet', { key: client.secretKey, json: {} }),
      client.request('POST', '/v1/keys', { key: client.secretKey, json: {} }),
      client.request('PATCH', `/v1/wallet/${to.id}`, { key: client.secretKey, json: { user_label: 'changed' } }),
    ];
    // They end while no commit does.
    const answers = await Promise.all(changes);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.type}`))).toEqual(new Set(['503 database_unavailable']));
    expect(await client.get(`/v1/wallet/${to.id}`)).toMatchObject({ balance: 0 });

    await server.release();
    expect((await begun).status).toBe(201);
    await expect.poll(readiness).toMatchObject({ status: 200, body: { database: 'ok' } });
    expect((await transfer()).status).toBe(201);
    expect(await client.get(`/v1/wallet/${to.id}`)).toMatchObject({ balance: 2 });
    const database = await openDatabase(server.url, { log: silentLog, withoutLock: true });
    expect(await problemsOf(database)).toEqual([]);
    await database.close();
  });
});
