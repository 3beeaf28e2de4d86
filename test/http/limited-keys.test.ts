import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { changesSomething, needOf, operationsOf, servedApi, type Walked } from '../openapi/conformance/operations.ts';
import { send } from '../openapi/conformance/send.ts';
import { createWorld, UNAVAILABLE, type World } from '../openapi/conformance/world.ts';
import { onFakeNodeWithSqlite } from '../support/app.ts';

/** It ends the session of a request, and so nothing with a key. */
const LOG_OUT = 'logOut';
const KEYS = readFileSync(new URL('../../docs/keys.md', import.meta.url), 'utf8');
const LIMITS = { budget_msat: 5_000_000_000, budget_period: 'ever', max_payment_msat: 1_000_000_000 };

onFakeNodeWithSqlite(
  'a key with a budget and a cap',
  (service) => {
    let world: World;
    let operations: Walked[];
    let keys: { accepts: (need: string) => boolean; key: string }[];

    beforeAll(async () => {
      const { client } = service;
      const walk = operationsOf(await servedApi(client));
      world = await createWorld(service, walk);
      operations = walk.filter((walked) => needOf(walked) !== undefined);
      const issue = async (path: string, kind: string) => (await client.post(path, { kind, ...LIMITS })).key as string;
      keys = [
        { accepts: () => true, key: await issue('/v1/keys', 'secret_api') },
        { accepts: (need) => need.startsWith('wallet_'), key: await issue(`/v1/wallet/${world.wallet.id}/keys`, 'wallet_admin') },
      ];
    });

    it('is rejected by each operation that manages something, and changes nothing', async () => {
      const problems: string[] = [];
      const managing = operations.filter(({ operation }) => operation['x-without-limits'] === true);
      for (const walked of managing) {
        const { operationId = '' } = walked.operation;
        if (UNAVAILABLE.has(operationId)) continue;
        const values = await world.goodValues(walked, 'least');
        for (const { accepts, key } of keys) {
          if (!accepts(needOf(walked) ?? '')) continue;
          service.requestWrites = [];
          const { status, body } = await send(world.client, walked, values, { key });
          const writes = service.requestWrites;
          service.requestWrites = undefined;
          if (status !== 403 || body.type !== 'forbidden' || writes.length > 0) problems.push(`${operationId}: ${status} ${writes}`);
        }
      }
      expect(problems).toEqual([]);
      expect(managing.length).toBeGreaterThan(40);
    });

    it('may call the other operations that change something, which docs/keys.md lists', async () => {
      const using = operations.filter((walked) => changesSomething(walked) && walked.operation['x-without-limits'] !== true);
      const problems: string[] = [];
      for (const walked of using) {
        const values = await world.goodValues(walked, walked.method === 'GET' ? 'most' : 'least');
        const { status, text } = await send(world.client, walked, values, { key: keys[0]?.key });
        if (status >= 400) problems.push(`${walked.operation.operationId}: ${status} ${text}`);
      }
      expect(problems).toEqual([]);
      const listed = /and may call ([^.]*)\./.exec(KEYS)?.[1]?.match(/\w{3,}/g);
      expect(listed?.toSorted()).toEqual(
        using.flatMap(({ operation: { operationId = '' } }) => (operationId === LOG_OUT ? [] : operationId)).toSorted(),
      );
    });
  },
  { PAYMENT_WAIT_SECONDS: '0', PROOF_INTERVAL_SECONDS: '1', OUTBOUND_ALLOW: '127.0.0.1', ADDRESS_RATE_LIMIT_PER_SECOND: '0' },
);
