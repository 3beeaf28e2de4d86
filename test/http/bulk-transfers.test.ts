import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

onFakeNode('bulk transfers', ({ client, neighbour, problems, problemsAfter, rows }) => {
  const send = (wallet: TestWallet, lines: unknown, key = client.secretKey, name = randomUUID()): Promise<HttpResponse> =>
    client.request('POST', `/v1/wallet/${wallet.id}/transfers`, { key, json: { lines }, headers: { 'idempotency-key': name } });
  const sendCsv = (wallet: TestWallet, csv: string) =>
    client.request('POST', `/v1/wallet/${wallet.id}/transfers`, {
      key: client.secretKey,
      form: csv,
      headers: { 'idempotency-key': randomUUID(), 'content-type': 'text/csv' },
    });
  const balanceOf = async (wallet: TestWallet): Promise<number> => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat;
  const balancesOf = (wallets: readonly TestWallet[]) => Promise.all(wallets.map(balanceOf));

  it('move money to each wallet, in the order of the lines, and book each line with its own transaction', async () => {
    const [payer, one, two] = [await client.wallet(1000), await client.wallet(), await client.wallet()];
    const lines = [
      { dest_wallet_id: one.id, num_satoshis: 100, memo: 'wages' },
      { dest_wallet_id: two.admin, num_msat: 1501, passThru: { order: 17 } },
      { dest_wallet_id: one.id, num_satoshis: 7 },
    ];
    const sent = await send(payer, lines);
    expect(sent.status).toBe(201);
    expect(sent.body).toMatchObject({ source_wallet_id: payer.id, num_msat: 108_501, num_satoshis: 108 });
    expect(sent.body.transfers.map(({ dest_wallet_id, num_msat, memo }: Json) => [dest_wallet_id, num_msat, memo])).toEqual([
      [one.id, 100_000, 'wages'],
      [two.id, 1501, ''],
      [one.id, 7000, ''],
    ]);
    expect(await balancesOf([payer, one, two])).toEqual([1_000_000 - 108_501, 107_000, 1501]);
    const booked: Json[] = await client.get(`/v1/wallet/${payer.id}/transactions?order=asc&type=ln_transfer_out`);
    expect(booked.map(({ id }) => id)).toEqual(sent.body.transfers.map((row: Json) => row.wtx_transfer_out_id));
    expect(booked[1].passThru).toMatchObject({ order: 17, dest_wallet_id: two.id });
    const [received] = await client.get(`/v1/wallet/${two.id}/transactions`);
    expect(received.id).toBe(sent.body.transfers[1].wtx_transfer_in_id);
    const events: Json[] = await client.get(`/v1/wallet/${one.id}/events?type=wallet_transfer_in&order=asc`);
    expect(events.map(({ data }) => data.wtx.num_msat)).toEqual([100_000, 7000]);
    expect(await problems()).toEqual([]);
  });

  it('take 1,000 lines, and reject 1,001 or none', async () => {
    const [payer, friend] = [await client.wallet(2000), await client.wallet()];
    const lines = Array.from({ length: 1000 }, (_, n) => ({ dest_wallet_id: friend.id, num_satoshis: 1, memo: `line ${n}` }));
    const sent = await send(payer, lines);
    expect([sent.status, sent.body.transfers.length, sent.body.transfers[999].memo]).toEqual([201, 1000, 'line 999']);
    for (const wrong of [[...lines, lines[0]], [], null, 'x', 5]) {
      const { status, body } = await send(payer, wrong);
      expect([status, body.message]).toEqual([400, expect.stringContaining('`lines` must be a list of 1 to 1000 lines')]);
    }
    expect(await balancesOf([payer, friend])).toEqual([1_000_000, 1_000_000]);
    expect(await problems()).toEqual([]);
  });

  it('name the line and the field of an error, and change nothing', async () => {
    const [payer, friend, other] = [await client.wallet(100), await client.wallet(), await neighbour.wallet()];
    const good = { dest_wallet_id: friend.id, num_satoshis: 1 };
    const errors: [Json, string, number?][] = [
      [{ dest_wallet_id: friend.id }, '`lines[1].num_satoshis` is missing'],
      [{ ...good, num_satoshis: 0 }, '`lines[1].num_satoshis` must be a whole number of satoshis, 1 or more'],
      [{ ...good, num_satoshis: null }, '`lines[1].num_satoshis` must be'],
      [{ ...good, num_msat: 5 }, '`lines[1]`: Send either `num_satoshis` or `num_msat`'],
      [{ ...good, memo: 'ä'.repeat(400) }, '`lines[1].memo` must be at most 639 bytes'],
      [{ ...good, passThru: { text: 'x'.repeat(5000) } }, '`lines[1].passThru` must be at most 4096 bytes'],
      [{ ...good, sum: 5 }, '`lines[1].sum` is not a field'],
      [{ ...good, amount: 5 }, '`lines[1].amount` must be a text with a decimal number'],
      [{ num_satoshis: 5 }, '`lines[1].dest_wallet_id` is missing'],
      [5, '`lines[1]` must be an object'],
      [{ ...good, dest_wallet_id: payer.id }, '`lines[1]`: A wallet cannot transfer to itself'],
      [{ ...good, dest_wallet_id: 'wal_unknown' }, '`lines[1].dest_wallet_id` must be', 404],
      [{ ...good, dest_wallet_id: other.id }, '`lines[1].dest_wallet_id` must be', 404],
      [{ ...good, num_satoshis: 100 }, 'The spendable balance is 100 sat. The transfers require 101 sat.'],
      [{ ...good, num_msat: Number.MAX_SAFE_INTEGER, num_satoshis: undefined }, 'The sum of the lines must be at most'],
    ];
    for (const [line, message, status = 400] of errors) {
      const response = await send(payer, [good, line]);
      expect([response.status, response.body.message]).toEqual([status, expect.stringContaining(message)]);
    }
    expect(await balancesOf([payer, friend])).toEqual([100_000, 0]);
    expect(await client.get(`/v1/wallet/${friend.id}/transactions`)).toEqual([]);
  });

  it('are all made or none, for any lines', async () => {
    const payer = await client.wallet(1_000_000);
    const friends = [await client.wallet(), await client.wallet(), await client.wallet()];
    const valid = fc.record({ to: fc.nat(2), num_msat: fc.integer({ min: 1, max: 5000 }) });
    const invalid = fc.constantFrom<Json>(
      { dest_wallet_id: 'wal_unknown', num_msat: 5 },
      { dest_wallet_id: payer.id, num_msat: 5 },
      { dest_wallet_id: friends[0]?.id, num_msat: 0 },
      { dest_wallet_id: friends[0]?.id, num_satoshis: 2_000_000 },
      { dest_wallet_id: friends[0]?.id },
    );
    const lists = fc.record({
      lines: fc.array(valid, { minLength: 1, maxLength: 20 }),
      wrong: fc.option(fc.record({ line: invalid, at: fc.nat(20) }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(lists, async ({ lines, wrong }) => {
        const before = await balancesOf([payer, ...friends]);
        const json = lines.map(({ to, num_msat }) => ({ dest_wallet_id: friends[to]?.id, num_msat }));
        if (wrong) json.splice(wrong.at, 0, wrong.line);
        const { status } = await send(payer, json);
        const after = await balancesOf([payer, ...friends]);
        const gained = friends.map((_, to) => lines.reduce((sum, line) => sum + (line.to === to ? line.num_msat : 0), 0));
        const paid = gained.reduce((sum, one) => sum + one, 0);
        const moved = wrong ? [0, 0, 0, 0] : [-paid, ...gained];
        expect(wrong ? status >= 400 : status === 201).toBe(true);
        expect(after.map((balance, index) => balance - (before[index] ?? 0))).toEqual(moved);
      }),
      { numRuns: 30, seed: 64 },
    );
    expect(await problems()).toEqual([]);
  });

  it('charge the fee of the service for each line, and name it in the error for an insufficient balance', async () => {
    const [payer, friend] = [await client.wallet(100), await client.wallet()];
    const rules = { internal: { flat_msat: 1000 } };
    const options = { key: client.secretKey, json: { reason: 'a test', rules } };
    expect((await client.request('PUT', `/v1/wallets/${payer.id}/fees`, options)).status).toBe(200);
    const of = (...amounts: number[]) => amounts.map((num_satoshis) => ({ dest_wallet_id: friend.id, num_satoshis }));
    const refused = await send(payer, of(50, 30, 19));
    expect(refused.body.message).toBe(
      'The spendable balance is 100 sat. The transfers require 102 sat: 99 sat for the amount and 3 sat for the fee of this service.',
    );
    const sent = await send(payer, of(50, 30, 10));
    expect(sent.body.transfers.map(({ num_satoshis }: Json) => num_satoshis)).toEqual([50, 30, 10]);
    expect(await balancesOf([payer, friend])).toEqual([7000, 90_000]);
    expect(await problems()).toEqual([]);
  });

  it('replay a request with its Idempotency-Key, and require one', async () => {
    const [payer, friend] = [await client.wallet(100), await client.wallet()];
    const lines = [
      { dest_wallet_id: friend.admin, num_satoshis: 10, memo: 'first' },
      { dest_wallet_id: friend.id, num_msat: 500 },
    ];
    const name = randomUUID();
    const first = await send(payer, lines, client.secretKey, name);
    const again = await Promise.all([1, 2, 3].map(() => send(payer, lines, client.secretKey, name)));
    for (const { status, body, headers } of again)
      expect([status, body, headers.get('idempotency-replayed')]).toEqual([201, first.body, 'true']);
    expect((await send(payer, [lines[0]], client.secretKey, name)).status).toBe(422);
    const path = `/v1/wallet/${payer.id}/transfers`;
    const without = await client.request('POST', path, { key: client.secretKey, json: { lines }, withoutNewKey: true });
    expect([without.status, without.body.message]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
    expect(await balanceOf(friend)).toBe(10_500);
  });

  it('count their sum against the limits of the key', async () => {
    const [payer, friend] = [await client.wallet(1000), await client.wallet()];
    const limits = { budget_msat: 50_000, budget_period: 'day', max_payment_msat: 30_000 };
    const { key } = await client.post(`/v1/wallet/${payer.id}/keys`, { kind: 'wallet_admin', ...limits });
    const of = (...amounts: number[]) => amounts.map((num_satoshis) => ({ dest_wallet_id: friend.id, num_satoshis }));
    expect((await send(payer, of(16, 15), key)).body.type).toBe('payment_cap_exceeded');
    expect((await send(payer, of(15, 15), key)).status).toBe(201);
    expect((await send(payer, of(10, 11), key)).body.type).toBe('budget_exceeded');
    expect((await send(payer, of(10, 10), key)).status).toBe(201);
    expect(await balanceOf(friend)).toBe(50_000);
    expect(await problems()).toEqual([]);
    const [counted] = await rows('SELECT transfer_id FROM key_transfer LIMIT 1');
    // `verify` compares the budget with its transfers.
    expect(await problemsAfter('DELETE FROM key_transfer WHERE transfer_id = $1', counted?.transfer_id as string)).not.toEqual([]);
  });

  it('move nothing after their key was revoked, and all of a request before', async () => {
    const [payer, friend] = [await client.wallet(10_000), await client.wallet()];
    const { key, id } = await client.post(`/v1/wallet/${payer.id}/keys`, { kind: 'wallet_admin' });
    const lines = Array.from({ length: 50 }, () => ({ dest_wallet_id: friend.id, num_msat: 20 }));
    const revoke = () => client.request('DELETE', `/v1/wallet/${payer.id}/keys/${id}`, { key: client.secretKey });
    const sending = [send(payer, lines, key), send(payer, lines, key)];
    const [revoked, ...sent] = await Promise.all([revoke(), ...sending]);
    expect(revoked.status).toBe(200);
    const made = sent.filter(({ status }) => status === 201).length;
    expect(await balanceOf(friend)).toBe(made * 1000);
    expect((await send(payer, lines, key)).status).toBe(401);
    expect(await balanceOf(friend)).toBe(made * 1000);
    expect(await problems()).toEqual([]);
  });

  it('are read from CSV, whose first row names the fields', async () => {
    const [payer, friend] = [await client.wallet(100), await client.wallet()];
    const csv = `\uFEFFdest_wallet_id,num_satoshis,num_msat,memo,passThru\r\n${friend.id},5,,"a ""quoted"", memo","{""order"":1}"\r\n${friend.id},,1500,,\r\n`;
    const sent = await sendCsv(payer, csv);
    expect(sent).toMatchObject({ status: 201, body: { num_msat: 6500 } });
    expect(sent.body.transfers[0].memo).toBe('a "quoted", memo');
    const errors: [string, string][] = [
      ['dest_wallet_id,num_satoshis\nwal_x,5,6\n', 'Row 2 of the CSV must have at most 2 cells'],
      ['dest_wallet_id,dest_wallet_id\n', 'The CSV must have one column `dest_wallet_id`'],
      ['dest_wallet_id,,memo\n', 'must have a name of a field in each column'],
      ['dest_wallet_id,memo\nx,"y', 'Row 2 of the CSV has a quotation mark without its end'],
      ['dest_wallet_id,memo\nx,"y"z', 'a separator or a line break after a quoted cell'],
      [`dest_wallet_id,num_satoshis\n${friend.id},5\n${friend.id},five\n`, '`lines[1].num_satoshis` must be a whole number'],
      ['dest_wallet_id,num_satoshis\n', '`lines` must be a list of 1 to 1000 lines'],
      ['', 'The first row of the CSV must have a name'],
    ];
    for (const [text, message] of errors) {
      const response = await sendCsv(payer, text);
      expect([response.status, response.body.message]).toEqual([400, expect.stringContaining(message)]);
    }
    expect(await balanceOf(friend)).toBe(6500);
  });
});
