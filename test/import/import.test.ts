import { beforeAll, expect, it, vi } from 'vitest';
import type { ImportResult } from '../../src/features/import/import.ts';
import { onFakeNode } from '../support/app.ts';
import { BALANCES, importInto, lnbitsFiles, walletOf } from './lnbits.ts';

/** Tables that change while the service runs or starts, whatever is imported. */
const VOLATILE = [
  'service_fact',
  'instance',
  'lease',
  'retention_period',
  'ledger_batch',
  'ledger_checkpoint',
  'reconciliation',
  'key_use',
];

onFakeNode(
  'an import from LNbits',
  (app, dialect) => {
    const files = lnbitsFiles();
    let file: string;
    let result: ImportResult;
    const idOf = (source: string) => result.made.find(({ source_id }) => source_id === source)?.wallet_id ?? '';
    const [first = '', second = '', fiat = ''] = BALANCES.map(({ id }) => id);

    beforeAll(async () => {
      file = files();
      app.net.addFunds(10_000_000_000);
      result = await importInto(app, file, { addressDomain: 'wallets.example' });
    });

    it('M1: gives each wallet the balance that the API of LNbits returned', async () => {
      expect(result.problems).toEqual([]);
      const balances = [];
      for (const { id } of BALANCES) {
        const key = `waka_${walletOf(file, id).adminkey}`;
        const { body } = await app.client.request('GET', `/v1/wallet/${key}`, { key });
        expect(body.id).toBe(idOf(id));
        balances.push({ id, balance_msat: body.balance_msat });
      }
      expect(balances).toEqual(BALANCES);
      expect(await app.problems()).toEqual([]);
    });

    it('credits the ledger with the sum of the report', async () => {
      const { sums } = result.report;
      expect(result.opening_msat).toBe(sums.opening_msat);
      expect(sums.opening_msat - sums.held_msat).toBe(BALANCES.reduce((sum, { balance_msat }) => sum + balance_msat, 0));
      expect(result.owed_msat).toBe(sums.opening_msat);
      expect(sums).toMatchObject({ wallets: BALANCES.length + 1, pending_payments: 3, open_invoices: 0, shortfall_msat: 0 });
    });

    it('leaves deleted wallets out, and names what they have', () => {
      const left = result.report.wallets.filter(({ action }) => action === 'left_out');
      expect(left.map(({ label, remarks }) => [label, remarks])).toEqual(
        expect.arrayContaining([
          ['deleted empty', ['it was deleted']],
          ['deleted with money', ['it was deleted', 'it has 1234000 msat, which are not credited']],
        ]),
      );
      expect(left).toHaveLength(2);
    });

    it('accepts the keys of LNbits with a prefix, and stores only their hashes', async () => {
      const { adminkey, inkey } = walletOf(file, first);
      const invoice = await app.client.request('POST', `/v1/wallet/waki_${inkey}/invoice`, {
        key: `waki_${inkey}`,
        json: { num_satoshis: 5 },
      });
      expect(invoice.status).toBe(201);
      const refused = await app.client.request('POST', `/v1/wallet/waki_${inkey}/withdraw`, {
        key: `waki_${inkey}`,
        json: { payment_request: app.net.outside.invoice({ amountMsat: 1000 }).paymentRequest },
      });
      expect(refused.status).toBe(403);
      const stored = JSON.stringify(await app.rows('SELECT id, public_text, last_four, user_label FROM access_key'));
      expect(stored).not.toContain(adminkey);
      expect(stored).not.toContain(inkey);
    });

    it.each(['admin', 'invoice'] as const)('logs in to LNDhub with the login %s and the bare key of LNbits', async (login) => {
      const { adminkey, inkey } = walletOf(file, second);
      const password = login === 'admin' ? adminkey : inkey;
      const { status, body } = await app.client.request('POST', '/lndhub/ext/auth', { json: { login, password } });
      expect([status, Object.keys(body)]).toEqual([200, expect.arrayContaining(['access_token'])]);
      const headers = { authorization: `Bearer ${body.access_token}` };
      const added = await app.client.request('POST', '/lndhub/ext/addinvoice', { headers, json: { amt: 7 } });
      expect(added.body.payment_request).toMatch(/^lnbcrt/);
      const wrong = await app.client.request('POST', '/lndhub/ext/auth', { json: { login, password: '0'.repeat(32) } });
      expect(wrong.body.access_token).toBeUndefined();
    });

    it('does not take the invoice key for the admin key', async () => {
      const { inkey } = walletOf(file, second);
      const { body } = await app.client.request('POST', '/lndhub/ext/auth', { json: { login: 'admin', password: inkey } });
      expect(body.access_token).toBeUndefined();
    });

    it.each(['/lnurlp/G9kTq3', '/lnurlp/api/v1/lnurl/G9kTq3'])('answers the LNURL %s of a printed sticker', async (path) => {
      const offer = await app.client.request('GET', path);
      expect(offer.body).toMatchObject({ tag: 'payRequest', minSendable: 10_000, maxSendable: 500_000_000, commentAllowed: 100 });
      const { pathname } = new URL(offer.body.callback);
      const { body } = await app.client.request('GET', `${pathname}?amount=25000&comment=hi`);
      expect(body).toMatchObject({ pr: expect.stringMatching(/^lnbcrt250n/), successAction: { tag: 'message', message: 'Thank you' } });
      await app.net.outside.pay({ paymentRequest: body.pr });
      const stored = () => app.rows(`SELECT wallet_id, state FROM invoice WHERE payment_request = $1`, body.pr);
      await vi.waitFor(async () => expect(await stored()).toEqual([{ wallet_id: idOf(first), state: 'settled' }]), { timeout: 150_000 });
    });

    it('answers no path of a link that was not imported', async () => {
      for (const path of ['/lnurlp/Fi4tUs', '/lnurlp/unknown', `/lnurlp/${'x'.repeat(100)}`])
        expect((await app.client.request('GET', path)).body).toMatchObject({ status: 'ERROR' });
      const planned = result.report.wallets.find(({ source_id }) => source_id === fiat);
      expect(planned?.remarks).toContain('pay link Fi4tUs is not imported: its amounts are in USD');
    });

    it('keeps the Lightning addresses at the domain of the import', async () => {
      const names = await app.rows('SELECT name, wallet_id FROM pay_link WHERE name IS NOT NULL ORDER BY name');
      expect(names).toContainEqual({ name: 'bar', wallet_id: idOf(first) });
      expect(names).toContainEqual({ name: 'blissfulcaviar7', wallet_id: idOf(first) });
      expect(names).toHaveLength(BALANCES.length + 2);
    });

    it('shows the history of LNbits in the list of its wallet, and nowhere in the balance', async () => {
      const key = `waka_${walletOf(file, first).adminkey}`;
      const { body: history } = await app.client.request('GET', `/v1/wallet/${key}/imported-transactions?per-page=100&order=asc`, { key });
      const planned = result.report.wallets.find(({ source_id }) => source_id === first);
      expect(history).toHaveLength(planned?.history_rows ?? 0);
      const settled = history.filter(({ status }: { status: string }) => status === 'settled');
      const sum = settled.reduce((total: number, row: { num_msat: number; fee_msat: number }) => total + row.num_msat - row.fee_msat, 0);
      expect(sum).toBe(planned?.opening_msat);
      expect(settled.map(({ created_at }: { created_at: number }) => created_at)).toEqual(
        settled.map(({ created_at }: { created_at: number }) => created_at).sort((a: number, b: number) => a - b),
      );
      const { body: transactions } = await app.client.request('GET', `/v1/wallet/${key}/transactions?order=asc`, { key });
      expect(transactions[0]).toMatchObject({
        wtxType: { name: 'opening_balance' },
        num_msat: planned?.opening_msat,
        passThru: { import: { source: 'lnbits' } },
      });
      const other = `waka_${walletOf(file, second).adminkey}`;
      expect((await app.client.request('GET', `/v1/wallet/${idOf(first)}/imported-transactions`, { key: other })).status).toBeGreaterThan(
        400,
      );
    });

    it('gives the owner of several wallets one account, with the e-mail and without a password', async () => {
      const rows = await app.rows(
        `SELECT a.email, a.role, a.password_hash, count(*) AS wallets FROM account a JOIN wallet w ON w.account_id = a.id
         WHERE a.email IS NOT NULL GROUP BY a.email, a.role, a.password_hash ORDER BY a.email`,
      );
      const expected = ['alma', 'bruno', 'clara'].map((name) => ({
        email: `${name}@example.com`,
        role: 'member',
        password_hash: null,
        wallets: 2,
      }));
      expect(rows.map((row) => ({ ...row, wallets: Number(row.wallets) }))).toEqual(expected);
    });

    it('changes nothing when it is repeated', async () => {
      const tables = (
        await app.rows(
          dialect === 'sqlite'
            ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
            : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
        )
      ).map(({ name }) => String(name));
      const counts = async () => {
        const all: Record<string, unknown> = {};
        for (const table of tables.filter((name) => !VOLATILE.includes(name)))
          all[table] = (await app.rows(`SELECT count(*) AS n FROM ${table}`))[0]?.n;
        return all;
      };
      const before = await counts();
      const repeated = await importInto(app, file, { addressDomain: 'wallets.example' });
      expect(repeated.written).toEqual([]);
      expect(repeated.made).toEqual(result.made);
      expect(repeated.report.already).toHaveLength(result.made.length);
      const after = await counts();
      const grown = Object.keys(after).filter((name) => after[name] !== before[name]);
      // The proof of liabilities of the restarted service.
      expect(grown.filter((name) => !name.startsWith('proof_') && !/_sample$/.test(name))).toEqual([]);
      expect(await app.problems()).toEqual([]);
    });
  },
  { LNDHUB: 'true', IMPORTED_PATHS: 'true', ADDRESS_DOMAINS: 'wallets.example' },
);
