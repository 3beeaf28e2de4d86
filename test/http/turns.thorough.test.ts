import { afterAll, beforeAll, expect, it } from 'vitest';
import { PER_TURN } from '../../src/core/kernel/turns.ts';
import { operationsOf, servedApi, type Values, type Walked } from '../openapi/conformance/operations.ts';
import { send } from '../openapi/conformance/send.ts';
import { createWorld, type World } from '../openapi/conformance/world.ts';
import { UNREACHABLE_MAIL_SERVER } from '../support/alert-channel.ts';
import { onFakeNodeWithSqlite } from '../support/app.ts';
import { countStretches } from '../support/stretches.ts';

const SETTINGS = {
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

const ROWS = 3_000;
const AT_ONCE = 4;
/** A part of a list adds at most five kinds of rows to each of its own, such as wallets, balances and invoices. A background job may do a part, too. */
const MOST_ROWS = 2 * (PER_TURN.scannedRows + 5 * PER_TURN.rows);
const FILTERS: Record<string, unknown> = { label: 'nothing', pass_through: { a: '1' } };

/** The requests of an operation that read the whole list. */
function wholeLists({ fields, operation }: Walked, good: Values): { what: string; values: Values }[] {
  const names = fields.filter((field) => field.in === 'query').map(({ name }) => name);
  const format = names.includes('format') ? { format: 'csv' } : {};
  const all = { what: `${operation.operationId}`, values: { ...good, query: format } };
  const filtered = names
    .filter((name) => name in FILTERS)
    .map((name) => ({ what: `${operation.operationId}, ${name}`, query: { [name]: FILTERS[name] } }));
  return [all, ...filtered.map(({ what, query }) => ({ what, values: { ...good, query: { ...format, ...query } } }))];
}

/** Returns whether an operation can send CSV. */
function sendsCsv({ fields, operation }: Walked): boolean {
  return fields.some(({ name }) => name === 'format') || JSON.stringify(operation.responses).includes('text/csv');
}

onFakeNodeWithSqlite(
  'the work between two turns',
  (service) => {
    let world: World;
    let walk: Walked[];

    beforeAll(async () => {
      walk = operationsOf(await servedApi(service.client)).filter(sendsCsv);
      world = await createWorld(service, walk);
      const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
      await service.execute(
        `INSERT INTO wallet_transaction (position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat,
           placed_at_ms, lntx, label, other_account)
         ${numbers} SELECT (SELECT max(position) FROM wallet_transaction) + i, printf('wtx_%021df', i), wallet_id, ledger_account, account_id, type,
           status, amount_msat, entry, balance_msat, placed_at_ms, lntx, 'label ' || i, other_account
         FROM n, (SELECT * FROM wallet_transaction WHERE wallet_id = $1 AND status = 'settled' AND lntx IS NOT NULL LIMIT 1) AS one`,
        world.wallet.id,
      );
      await service.execute(
        `INSERT INTO event (position, created_at_ms, type, account_id, wallet_id, subject, lntx, data)
         ${numbers} SELECT (SELECT max(position) FROM event) + i, created_at_ms, type, account_id, wallet_id, subject, lntx, data
         FROM n, (SELECT * FROM event WHERE wallet_id = $1 AND type = 'wallet_receive' LIMIT 1) AS one`,
        world.wallet.id,
      );
    }, 300_000);

    it('is within the rule for each operation that sends CSV, with and without filters', async () => {
      const stretches = countStretches();
      afterAll(() => stretches.stop());
      const problems: string[] = [];
      const sent: string[] = [];
      for (const walked of walk) {
        const good = await world.goodValues(walked, 'least');
        for (const { what, values } of wholeLists(walked, good)) {
          const work = () => send(world.client, walked, values, { key: world.client.secretKey });
          let text = '';
          const { rows, bytes } = await stretches.largestDuring(async () => {
            const responses = await Promise.all(Array.from({ length: AT_ONCE }, work));
            text = responses[0]?.text ?? '';
          });
          if (text.split('\r\n').length > ROWS) sent.push(what);
          if (rows > MOST_ROWS) problems.push(`${what}: ${rows} rows are read without a turn`);
          if (bytes > 2 * PER_TURN.bytes) problems.push(`${what}: ${bytes} bytes are sent without a turn`);
        }
      }
      expect(problems).toEqual([]);
      expect(sent.sort()).toEqual(['exportTransactions', 'getStatement', 'listEvents', 'listWalletEvents']);
      expect(walk.length).toBeGreaterThan(15);
    }, 600_000);
  },
  SETTINGS,
);
