import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlayground } from '../../../devnet/playground/playground.ts';
import { type PlaygroundServer, servePlayground } from '../../../devnet/playground/server.ts';
import type { TestNetwork } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import type { LightningNode } from '../../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import { allEvents, collectLog, findEvent, newInvoice, outsideSays, payOutside, tempDir, until } from './support/open.ts';
import { clientsOfEachTest, startPlaygroundProcess } from './support/shared.ts';

const SECRET = 'for the services of a test';
const client = clientsOfEachTest();
const log = collectLog();
const dataDir = tempDir();
let server: PlaygroundServer;

const serve = (dir = dataDir) => servePlayground({ dataDir: dir, host: '127.0.0.1', port: 0, secret: SECRET, log });
const urlOf = (node?: string, { port } = server) =>
  `playground://127.0.0.1:${port}?secret=${encodeURIComponent(SECRET)}${node === undefined ? '' : `&node=${node}`}`;

beforeAll(async () => {
  server = await serve();
});
afterAll(async () => {
  await server.close();
  expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
});

/** Pays an invoice of another service node, whose guard decides after the payment has arrived. Returns the outcome. */
async function payTo(payer: LightningNode, payee: LightningNode, amountMsat = 10_000_000) {
  const { paymentRequest, paymentHash } = await newInvoice(payee, msat(amountMsat));
  const order = {
    paymentId: crypto.randomUUID(),
    paymentRequest,
    paymentHash,
    amountMsat: msat(amountMsat),
    marker: '00',
    feeLimitMsat: msat(5_000),
  };
  expect(await payer.pay(order)).toEqual({ state: 'pending' });
  return until(async () => {
    const outcome = await payer.lookupPayment(order);
    return outcome?.state === 'pending' ? undefined : { ...order, outcome };
  });
}

const claiming = (one: TestNetwork): TestNetwork => {
  one.node.guardIncoming(async () => 'claim');
  return one;
};
const localMsat = async ({ node }: TestNetwork) => (await node.balance()).localMsat;

describe('the service nodes of a playground', () => {
  it('have their own keys and names, and hub is the one of a URL without a name', async () => {
    const infos = await Promise.all([undefined, 'hub', 'shop'].map((name) => client(urlOf(name)).node.info()));
    expect(infos.map(({ alias }) => alias)).toEqual(['hub', 'hub', 'shop']);
    expect(infos.map(({ pubkey }) => pubkey)).toEqual([server.hub, server.hub, expect.not.stringMatching(server.hub)]);
    const { nodes } = await client(urlOf()).control.describe();
    expect(nodes.map(({ name }) => name)).toEqual(['hub', 'alice', 'carol', 'shop']);
    expect(nodes.at(-1)?.pubkey).toBe(infos[2]?.pubkey);
  });

  it('pay each other over alice, and each reports only its own payments and events', async () => {
    const [hub, shop] = [claiming(client(urlOf())), claiming(client(urlOf('shop')))];
    const [hubBefore, shopBefore] = [await localMsat(hub), await localMsat(shop)];
    const [eventsBefore, shopEventsBefore] = [await allEvents(hub), await allEvents(shop)];
    const there = await payTo(hub.node, shop.node);
    const back = await payTo(shop.node, hub.node, 3_000_000);
    // 1 sat and 0.01 %.
    expect([there.outcome, back.outcome]).toMatchObject([
      { state: 'succeeded', feeMsat: 2_000 },
      { state: 'succeeded', feeMsat: 1_300 },
    ]);
    expect(await shop.node.lookupInvoice(there.paymentHash)).toMatchObject({ state: 'settled', amountMsat: 10_000_000 });
    expect(await hub.node.lookupInvoice(there.paymentHash)).toBeUndefined();
    expect(await shop.node.lookupPayment(there)).toBeUndefined();
    expect(await hub.node.cancelInvoice(there.paymentHash)).toBe('unknown');

    const ofHub = (await allEvents(hub)).slice(eventsBefore.length + 1);
    const ofShop = (await allEvents(shop)).slice(shopEventsBefore.length + 1);
    expect(ofHub).toMatchObject([
      { type: 'payment', paymentId: there.paymentId, outcome: there.outcome },
      { type: 'settlement', paymentHash: back.paymentHash, amountMsat: 3_000_000 },
    ]);
    expect(ofShop).toMatchObject([
      { type: 'settlement', paymentHash: there.paymentHash, amountMsat: 10_000_000 },
      { type: 'payment', paymentId: back.paymentId, outcome: back.outcome },
    ]);
    // Each call of allEvents has paid 1 msat.
    expect((await localMsat(hub)) - hubBefore).toBe(-10_002_000 + 3_000_000 - 2);
    expect((await localMsat(shop)) - shopBefore).toBe(10_000_000 - 3_001_300 - 2);
    expect(await hub.node.knowsPosition(ofShop[0]?.position ?? '')).toBe(false);
    expect(await shop.node.knowsPosition(ofShop[0]?.position ?? '')).toBe(true);
  });

  it('receive keysends, each for itself, also with one preimage', async () => {
    const [hub, shop] = [claiming(client(urlOf())), claiming(client(urlOf('shop')))];
    const preimage = 'ab'.repeat(32);
    const { pubkey } = await shop.node.info();
    const sent = await shop.control.keysend({ from: 'carol', amountMsat: msat(4_000), customRecords: {} });
    expect(sent.state).toBe('succeeded');
    await findEvent(shop.node, (event) => event.type === 'settlement' && event.paymentHash === sent.paymentHash);
    expect(await hub.node.lookupInvoice(sent.paymentHash)).toBeUndefined();

    const invoice = { preimage, amountMsat: msat(5_000), description: '', expirySeconds: 600 };
    const paymentHash = paymentHashOf(preimage);
    await hub.node.createInvoice(invoice);
    const { paymentRequest } = await shop.node.createInvoice(invoice);
    expect(await hub.node.cancelInvoice(paymentHash)).toBe('cancelled');
    expect(await shop.node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
    expect(await shop.control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    expect(await shop.node.lookupInvoice(paymentHash)).toMatchObject({ state: 'settled', amountMsat: 5_000 });
    expect(await hub.node.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
    const routes = await hub.node.queryRoutes?.({ destination: pubkey, amountMsat: msat(10_000_000) });
    expect(routes).toMatchObject([{ feesMsat: 2_000, hops: [{}, { pubkey }] }]);
  });

  it('belong to one ledger each', async () => {
    const [hub, shop] = [client(urlOf()), client(urlOf('shop'))];
    expect(await hub.node.claimForLedger?.('lnd_one', undefined)).toBe('lnd_one');
    expect(await shop.node.claimForLedger?.('lnd_two', undefined)).toBe('lnd_two');
    expect(await shop.node.claimForLedger?.('lnd_one', undefined)).toBe('lnd_two');
    expect(await hub.node.claimForLedger?.('lnd_two', undefined)).toBe('lnd_one');
    expect(await shop.node.claimForLedger?.('lnd_three', 'lnd_two')).toBe('lnd_three');
    expect(await hub.node.claimForLedger?.('lnd_two', undefined)).toBe('lnd_one');
  });

  it('are the same after a restart', async () => {
    const before = client(urlOf('shop')).node;
    const [info, balance] = [await before.info(), await before.balance()];
    await server.close();
    server = await serve();
    const [hub, shop] = [claiming(client(urlOf())), claiming(client(urlOf('shop')))];
    expect([await shop.node.info(), await shop.node.balance()]).toEqual([info, balance]);
    expect((await payTo(hub.node, shop.node)).outcome).toMatchObject({ state: 'succeeded', feeMsat: 2_000 });
    expect((await payTo(shop.node, hub.node)).outcome).toMatchObject({ state: 'succeeded', feeMsat: 2_000 });
  });

  it('are created while payments are held, which end as if nothing had happened', async () => {
    const hub = client(urlOf());
    const outgoing = await payOutside(hub, 'carol', { hold: true, feeLimitMsat: 5_000 });
    const { paymentRequest, paymentHash } = await newInvoice(hub.node);
    const paying = hub.control.payInvoice({ paymentRequest, from: 'carol' });
    await until(async () => ((await outsideSays(hub, 'carol', 'sent', paymentHash)) ? true : undefined));
    const club = claiming(client(urlOf('club')));
    const cafe = claiming(client(urlOf('cafe-2')));
    // The blocks of the new channels are no reason for invoices from the future.
    expect((await payTo(club.node, cafe.node)).outcome).toMatchObject({ state: 'succeeded', feeMsat: 2_000 });
    claiming(hub);
    expect(await paying).toMatchObject({ state: 'succeeded' });
    await hub.control.resolveHold(outgoing.order.paymentHash, 'settle');
    await findEvent(hub.node, (event) => event.type === 'payment' && event.paymentId === outgoing.order.paymentId);
    expect(await hub.node.lookupPayment(outgoing.order)).toMatchObject({ state: 'succeeded', feeMsat: 1_100 });
  });

  it('are at most four, and a fifth name is refused with the names of the others', async () => {
    const fifth = client(urlOf('fifth'));
    await expect(fifth.node.info()).rejects.toThrow('a playground has at most 4 nodes for services; use one of hub, shop, club, cafe-2');
    await expect(newInvoice(fifth.node)).rejects.toThrow('at most 4');
    const { nodes } = await client(urlOf()).control.describe();
    expect(nodes).toHaveLength(6);
  });

  it.each(['', 'Shop', '-shop', '2shop', 'shop!', 'shöp', 'alice', 'carol', `s${'x'.repeat(32)}`])(
    'are not created with the name "%s"',
    async (name) => {
      const { status, body } = await post(`/describe?node=${encodeURIComponent(name)}`);
      expect([status, body]).toEqual([422, { error: expect.stringContaining('lower-case letters') }]);
    },
  );
});

async function post(path: string): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${encodeURIComponent(SECRET)}` };
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, body: 'null' });
  return { status: response.status, body: await response.json() };
}

describe('a playground that is killed', () => {
  it.each([20, 60, 120, 200])('while it creates a node, after %i ms, has that node or not, and works', async (delayMs) => {
    const dir = tempDir();
    const child = await startPlaygroundProcess(dir, 0);
    const dying = client(`${child.url}&node=shop`);
    const creating = dying.node.info().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await child.end('SIGKILL');
    await dying.node.close();
    const seen = await creating;
    const again = await startPlaygroundProcess(dir, 0);
    const [hub, shop] = [claiming(client(again.url)), claiming(client(`${again.url}&node=shop`))];
    if (seen) expect(await shop.node.info()).toEqual(seen);
    expect((await payTo(hub.node, shop.node)).outcome).toMatchObject({ state: 'succeeded' });
    await again.end('SIGTERM');
  });
});

/** The tables of the version before several service nodes. */
const TABLES_OF_ONE_NODE = `
CREATE TABLE invoices (
  payment_hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0,
  preimage TEXT, payment_request TEXT
) WITHOUT ROWID;
CREATE TABLE receipts (
  ask_id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('asked', 'claiming', 'settled')),
  preimage TEXT NOT NULL, amount_msat INTEGER NOT NULL, keysend INTEGER NOT NULL, custom_records TEXT NOT NULL
);
CREATE INDEX receipts_asked ON receipts (ask_id) WHERE state = 'asked';
CREATE TABLE outgoing (
  payment_id TEXT PRIMARY KEY, ldk_id TEXT NOT NULL UNIQUE, payment_hash TEXT NOT NULL, amount_msat INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  preimage TEXT, fee_msat INTEGER, reason TEXT
) WITHOUT ROWID;
CREATE INDEX outgoing_by_hash ON outgoing (payment_hash);
CREATE TABLE ledger (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL);
CREATE TABLE outbox (position INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);
`;

/** Rewrites a file as that version wrote it. */
function rewriteForOneNode(dir: string): void {
  const db = new DatabaseSync(join(dir, 'playground.db'));
  db.exec('BEGIN; DROP INDEX receipts_asked; DROP INDEX outgoing_by_hash; DROP INDEX outbox_by_node;');
  const tables = ['invoices', 'receipts', 'outgoing', 'ledger', 'outbox'];
  for (const table of tables) db.exec(`ALTER TABLE ${table} RENAME TO new_${table}`);
  db.exec(TABLES_OF_ONE_NODE);
  for (const table of tables) {
    const namesOf = (name: string) =>
      db
        .prepare(`PRAGMA table_info(${name})`)
        .all()
        .map((column) => String(column.name));
    const names = new Set(namesOf(`new_${table}`));
    const shared = namesOf(table).filter((name) => names.has(name));
    db.exec(`INSERT INTO ${table} (${shared.join()}) SELECT ${shared.join()} FROM new_${table}; DROP TABLE new_${table};`);
  }
  // The newest receipt was refused, so its row is gone and its id is not.
  db.exec(`UPDATE sqlite_sequence SET seq = 900 WHERE name = 'receipts'; COMMIT;`);
  db.close();
}

describe('the file of a version with one service node', () => {
  it('is migrated: node, ledger, payments, invoices and events are those of hub', async () => {
    const dir = tempDir();
    const first = claiming(await openPlayground({ dataDir: dir, log }));
    const paid = await payOutside(first, 'carol', { feeLimitMsat: 5_000 });
    const held = await payOutside(first, 'alice', { hold: true });
    const open = await newInvoice(first.node);
    const received = await newInvoice(first.node);
    await first.control.payInvoice({ paymentRequest: received.paymentRequest, from: 'alice' });
    await first.node.claimForLedger?.('lnd_old', undefined);
    const [info, balance, events] = [await first.node.info(), await first.node.balance(), await allEvents(first)];
    await first.node.close();
    rewriteForOneNode(dir);

    const migrated = await serve(dir);
    const [hub, shop] = [claiming(client(urlOf(undefined, migrated))), claiming(client(urlOf('shop', migrated)))];
    expect(await hub.node.info()).toEqual(info);
    // allEvents has paid 1 msat.
    expect((await hub.node.balance()).localMsat).toBe(balance.localMsat - 1);
    expect((await allEvents(hub)).slice(0, events.length)).toEqual(events);
    expect(await hub.node.claimForLedger?.('lnd_new', undefined)).toBe('lnd_old');
    expect(await shop.node.claimForLedger?.('lnd_new', undefined)).toBe('lnd_new');
    expect(await hub.node.pay(paid.order)).toEqual(paid.outcome);
    expect(await shop.node.lookupPayment(paid.order)).toBeUndefined();
    expect(await hub.node.lookupInvoice(received.paymentHash)).toMatchObject({ state: 'settled' });
    expect(await hub.control.payInvoice({ paymentRequest: open.paymentRequest, from: 'carol' })).toMatchObject({ state: 'succeeded' });
    await hub.control.resolveHold(held.order.paymentHash, 'settle');
    expect(await until(() => ended(hub.node, held.order))).toMatchObject({ state: 'succeeded' });
    expect((await payTo(shop.node, hub.node)).outcome).toMatchObject({ state: 'succeeded', feeMsat: 2_000 });
    await migrated.close();

    const db = new DatabaseSync(join(dir, 'playground.db'));
    const ids = db.prepare('SELECT ask_id FROM receipts ORDER BY ask_id').all();
    expect(ids.map(({ ask_id }) => Number(ask_id) > 900)).toEqual([false, true, true]);
    expect(db.prepare(`SELECT name FROM sqlite_master WHERE name LIKE 'old_%'`).all()).toEqual([]);
    db.close();
  });
});

async function ended(node: LightningNode, order: { readonly paymentId: string; readonly paymentHash: string }) {
  const outcome = await node.lookupPayment(order);
  return outcome?.state === 'pending' ? undefined : outcome;
}
