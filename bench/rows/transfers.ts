import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createAccounts } from '../../src/accounts/accounts.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createAccess } from '../../src/http/access.ts';
import type { App } from '../../src/http/app-type.ts';
import { createObjects } from '../../src/http/objects.ts';
import { paymentRoutes } from '../../src/http/routes/payments.ts';
import { createServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { msat, satToMsat } from '../../src/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/ledger/accounts.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import type { Receipt } from '../../src/ledger/posting.ts';
import { transferBetween, type WalletTransfer } from '../../src/payments/transfer.ts';
import { createWallets } from '../../src/wallets/wallets.ts';
import { type Comparison, compare, type Side } from '../compare.ts';
import { load } from '../load-worker.ts';

const WALLETS = 1000;
const SECONDS = 2;
const ROUNDS = 5;
const FUNDS_SAT = 1_000_000;
const silent = { info() {}, warn() {}, error() {} };

/** A server with only the transfer route, and what is needed to call it. */
interface Bench {
  readonly app: App;
  readonly port: number;
  readonly requests: readonly string[];
}

/** Durable transfers over HTTP, against the very same route without a ledger behind it. */
export async function transferRows(databaseUrl: (folder: string) => string, label: string): Promise<Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-bench-'));
  const database = await openDatabase(databaseUrl(folder), { log: silent });
  try {
    await migrate(database, join(import.meta.dirname, '..', '..', 'migrations'));
    const { withLedger, without } = await benches(database);
    const rows: Comparison[] = [];
    for (const connections of [1, 16, 64, 256]) {
      const side = (name: string, bench: Bench): Side => ({
        name,
        round: async () => (await load({ ...bench, connections, seconds: SECONDS })).perSecond,
      });
      const meaning = 'the share of the HTTP route’s speed that durable transfers reach';
      rows.push(
        await compare(
          `${label} transfers, ${connections} connections`,
          meaning,
          'transfers/s',
          side('durable', withLedger),
          side('no ledger', without),
          ROUNDS,
        ),
      );
    }
    await Promise.all([withLedger.app.close(), without.app.close()]);
    return rows;
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benches(database: Database): Promise<{ withLedger: Bench; without: Bench }> {
  const clock = systemClock;
  const ledger = createLedger(database, clock);
  const accounts = createAccounts(database, clock);
  const wallets = createWallets(database, accounts, clock);
  const keys = await accounts.bootstrap(undefined, async () => {});
  if (!keys) throw new Error('the bench needs a fresh database');
  const ids: string[] = [];
  for (let i = 0; i < WALLETS; i++) {
    const { wallet } = await wallets.create(keys.accountId, '');
    await ledger.post({
      transfers: [{ id: newId(), from: SYSTEM_ACCOUNTS.node, to: wallet.ledgerAccount, amountMsat: satToMsat(FUNDS_SAT) }],
    });
    ids.push(wallet.id);
  }
  const requests = ids.map((id, i) => transferRequest(keys.secretKey, id, ids[(i * 7 + 1) % ids.length] ?? ''));
  const access = createAccess(accounts, wallets);
  const objects = createObjects('lnd_bench');
  const serve = async (transfer: (order: WalletTransfer) => Promise<Receipt>): Promise<Bench> => {
    // Only the transfer route is called; it uses nothing else of these.
    const deps = { access, wallets, objects, payments: { transfer }, history: {}, paymentWaitSeconds: 0 };
    const app = createServer(pino({ level: 'silent' }), (server) =>
      paymentRoutes(server, deps as unknown as Parameters<typeof paymentRoutes>[1]),
    );
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    return { app, port: Number(new URL(address).port), requests };
  };
  return {
    withLedger: await serve((order) => transferBetween({ ledger, clock }, order)),
    without: await serve(async (order) => canned(order)),
  };
}

function transferRequest(key: string, from: string, to: string): string {
  const body = JSON.stringify({ dest_wallet_id: to, num_satoshis: 1 });
  return `POST /v1/wallet/${from}/transfer HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** A receipt of nothing. */
function canned({ source, destination, amountMsat }: WalletTransfer): Receipt {
  const hash = new Uint8Array();
  const balance = { balanceMsat: msat(5000), heldMsat: msat(0), spendableMsat: msat(5000), entries: 1 };
  const from = { from: source.ledgerAccount, fromEntry: 1, fromBalanceMsat: msat(5000), fromHash: hash, fromType: 'ln_transfer_out' };
  const to = { to: destination.ledgerAccount, toEntry: 1, toBalanceMsat: msat(5000), toHash: hash, toType: 'ln_transfer_in' };
  return {
    heldMsat: new Map(),
    transfers: [{ id: newId(), amountMsat, createdAtMs: Date.now(), ...from, ...to }],
    balances: new Map([
      [source.ledgerAccount, balance],
      [destination.ledgerAccount, balance],
    ]),
  };
}
