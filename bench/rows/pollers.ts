import type { Dialect } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { startFakeService } from '../fake-service.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row, Target } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { figureOf } from '../sides.ts';
import type { Web } from '../web.ts';

/** The transfers of others take at most a tenth longer. */
const TARGET: Target = { goal: 1.1, floor: 1.25 };
const POLLERS = 1000;
const POLL_SECONDS = 2.5;
const WALLETS = 10;
const TRANSFERS_PER_SECOND = 200;

const addInvoices = statement('bench_add_invoices', {
  sqlite: `INSERT INTO invoice (id, account_id, wallet_id, ledger_account, node_id, dest_pubkey, wtx_type, payment_hash, payment_request, amount_msat,
      memo, expiry_seconds, expires_at, created_at, state)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
    SELECT 'lntx_' || printf('%012d', i) || w.id, w.account_id, w.id, w.ledger_account, w.node_id, '', 'ln_deposit', i || w.id, printf('%0300d', i), 1000,
      'bench', 86400, 86400, 0, 'canceled' FROM n, wallet w WHERE w.id = $2`,
  postgres: `INSERT INTO invoice (id, account_id, wallet_id, ledger_account, node_id, dest_pubkey, wtx_type, payment_hash, payment_request, amount_msat,
      memo, expiry_seconds, expires_at, created_at, state)
    SELECT 'lntx_' || lpad(i::text, 12, '0') || w.id, w.account_id, w.id, w.ledger_account, w.node_id, '', 'ln_deposit', i || w.id, lpad(i::text, 300, '0'),
      1000, 'bench', 86400, 86400, 0, 'canceled' FROM generate_series(1, $1::bigint) AS n (i), wallet w WHERE w.id = $2`,
});

/** The time of a transfer while a thousand stores of BTCPay read their invoices every 2.5 seconds, compared with that without them. */
export function pollerRows(): Row[] {
  return DIALECTS.map((dialect) => ({
    name: `${DATABASE_NAMES[dialect]} transfers while ${POLLERS} apps poll`,
    meaning: `p99 of a transfer while ${POLLERS} apps read the invoices of large wallets every ${POLL_SECONDS} s, compared with that without them`,
    unit: 'ms',
    target: TARGET,
    measure: (run: Run) => measure(run, dialect),
  }));
}

async function measure(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  const keys: string[] = [];
  const fill = async ({ wallets, database, funded }: Web) => {
    for (let i = 0; i < WALLETS; i++) {
      const { wallet, accessKeys } = await wallets.create(funded[0]?.accountId ?? '', 'shop');
      keys.push(accessKeys.wallet_admin);
      await database.transaction((tx) => tx.run(addInvoices, run.sizes.listed, wallet.id));
    }
  };
  await using service = await startFakeService(run, dialect, fill, { LNDHUB: 'true' });
  const { port, transfers } = service;
  const polls = keys.map((key) => `GET /lndhub/ext/getuserinvoices HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\n\r\n`);
  const { seconds, rounds } = run.sizes;
  const timeOfTransfers = async () =>
    (await load({ port, requests: transfers, connections: 16, seconds: seconds * 5, requestsPerSecond: TRANSFERS_PER_SECOND })).p99Ms;
  const [alone, polled]: [number[], number[]] = [[], []];
  // A stall of the disk decides the 99th percentile of a round, so many short ones are needed.
  for (let round = 0; round <= 3 * rounds; round++) {
    const quiet = await timeOfTransfers();
    const polling = load({ port, requests: polls, connections: 32, seconds: seconds * 7, requestsPerSecond: POLLERS / POLL_SECONDS });
    // The worker thread needs time to start.
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const busy = await timeOfTransfers();
    await polling;
    // The first round is a warm-up.
    if (round > 0) {
      alone.push(quiet);
      polled.push(busy);
    }
  }
  return [figureOf('while apps poll', polled), figureOf('alone', alone)];
}
