import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { commandSettings, runSatchel } from '../support/process.ts';
import { unmatchedMoney } from './unmatched-money.ts';

onFakeNode('satchel suspense and satchel payment', (service) => {
  const { net } = service;
  const run = (name: string, ...args: string[]) => runSatchel([name, ...args], commandSettings(service.client));

  it('lists money in suspense, assigns it once when the command is repeated, and shows who decided', async () => {
    expect(await run('suspense', 'list')).toMatchObject({ code: 0, stdout: 'Suspense is empty.\n' });
    const wallet = await service.client.wallet();
    const hash = await unmatchedMoney(service, 1_234_000);
    expect((await run('suspense', 'list')).stdout).toMatch(new RegExp(`${hash} +\\S+ +1,234,000 +1,234,000`));
    const assign = () => run('suspense', 'assign', hash, wallet.id, '--yes', '--reason', 'the payer called');
    for (const { code, stdout, output } of await Promise.all([assign(), assign()])) {
      expect({ code, stdout }, output).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Done: 1234000 msat were credited to ${wallet.id}.`),
      });
    }
    expect(await assign()).toMatchObject({ code: 0, output: expect.stringContaining('requested before') });
    expect((await service.client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(1_234);
    expect((await run('suspense', 'list')).stdout).toBe('Suspense is empty.\n');
    expect((await run('suspense', 'list', '--all')).stdout).toMatch(/credit +\S+ +done +key_\w+ of acc_\w+: the payer called\./);
    expect(await service.problems()).toEqual([]);
  });

  it('returns money, and ends a payment with its preimage', async () => {
    const hash = await unmatchedMoney(service, 50_000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 40_000, script: { fee: 0 } });
    const returned = await run('suspense', 'return', hash, paymentRequest.toUpperCase(), '--yes', '--reason', 'sent by mistake');
    expect(returned).toMatchObject({ code: 0, stdout: expect.stringContaining('40000 msat were paid out') });
    const failing = net.outside.invoice({ amountMsat: 5_000, script: { fail: 'NO_ROUTE' } });
    const failed = await run('suspense', 'return', hash, failing.paymentRequest, '--yes', '--reason', 'the rest');
    expect(failed).toMatchObject({ code: 1, stdout: '', output: expect.stringMatching(/^Refused: .*NO_ROUTE/) });

    expect(await run('payment', 'list')).toMatchObject({ code: 0, stdout: 'No payment is pending.\n' });
    const payer = await service.client.wallet(100);
    const held = net.outside.invoice({ amountMsat: 50_000, script: { hold: true, fee: 0 } });
    const json = { payment_request: held.paymentRequest };
    const headers = { prefer: 'respond-async' };
    const { body }: Json = await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers });
    expect((await run('payment', 'list')).stdout).toMatch(new RegExp(`${body.lnTx.id} +${payer.id} +50,000`));
    const resolve = (...evidence: string[]) =>
      run('payment', 'resolve', body.lnTx.id, ...evidence, '--yes', '--reason', 'the receiver confirmed');
    const show = () => run('payment', 'show', body.lnTx.id);
    expect((await show()).stdout).toMatch(/: 50,000 msat, pending, .* old\. At the node: /);
    expect(await resolve('--received')).toMatchObject({
      code: 2,
      output: expect.stringContaining('--received is for a payment that arrives'),
    });
    expect(await resolve('--failed')).toMatchObject({ code: 1, output: expect.stringContaining('do not prove a failure') });
    const { preimage = '' } = net.state().outsideInvoices[held.paymentHash] ?? {};
    expect(await resolve('--preimage', preimage)).toMatchObject({ code: 1, output: expect.stringContaining('Wait until the node') });
    net.always('lookupPayment', { instead: { state: 'succeeded', preimage, feeMsat: msat(0) } });
    expect(await resolve('--preimage', preimage)).toMatchObject({ code: 0, stdout: expect.stringContaining('status `settled`') });
    expect((await show()).stdout).toMatch(/: 50,000 msat, settled, [^.]* old\.\n$/);
    net.always('lookupPayment', undefined);
    net.outside.resolveHold(held.paymentHash, 'settle');
    expect(await service.problems()).toEqual([]);
  });

  it('lists held payments that the ledger does not know, and settles or cancels them', async () => {
    expect(await run('held', 'list')).toMatchObject({ code: 0, stdout: 'The nodes hold no payment that the ledger does not know.\n' });
    const held = async () => {
      const preimage = randomBytes(32).toString('hex');
      const order = { paymentHash: paymentHashOf(preimage), amountMsat: msat(7_000), description: 'swap 12', expirySeconds: 600 };
      await net.outside.pay(await net.connect().createHoldInvoice(order));
      return { preimage, hash: order.paymentHash };
    };
    const [swap, lost] = [await held(), await held()];
    const [{ id: node }] = (await service.client.get('/v1/operator/overview')).nodes;
    expect((await run('held', 'list')).stdout).toMatch(new RegExp(`${node} +${swap.hash} +7,000 +144 +swap 12`));
    const reason = ['--reason', 'ticket 12'];
    expect(await run('held', 'settle', node, swap.hash, swap.preimage, ...reason)).toMatchObject({ code: 2, stdout: '' });
    expect(await run('held', 'settle', node, swap.hash, lost.preimage, '--yes', ...reason)).toMatchObject({ code: 1, stdout: '' });
    const settled = await run('held', 'settle', node, swap.hash, swap.preimage, '--yes', ...reason);
    expect(settled).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: The node has settled 7 sat.') });
    const cancelled = await run('held', 'cancel', node, lost.hash, '--yes', ...reason);
    expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: The payment went back to its payer.') });
    expect(await run('held', 'cancel', node, lost.hash, '--yes', ...reason)).toMatchObject({ code: 1 });
    await expect.poll(async () => (await run('suspense', 'list')).stdout).toMatch(new RegExp(`${swap.hash} +\\S+ +7,000 +7,000`));
    const wallet = await service.client.wallet();
    await service.client.post(`/v1/operator/suspense/${swap.hash}/credit`, { wallet_id: wallet.id, reason: 'a test' });
    expect(await service.problems()).toEqual([]);
  });

  it('moves no money while no service runs, and reports that', async () => {
    const wallet = await service.client.wallet();
    const hash = await unmatchedMoney(service, 3_000);
    const before = await service.suspenseMsat();
    await service.restart(async () => {
      const alone = await run('suspense', 'assign', hash, wallet.id, '--yes', '--reason', 'a try');
      expect(alone).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining('no service answers at http://127.0.0.1:') });
    });
    expect(await service.suspenseMsat()).toBe(before);
    expect((await run('suspense', 'assign', hash, wallet.id, '--yes', '--reason', 'a try')).code).toBe(0);
    expect(await service.problems()).toEqual([]);
  });

  it('reports an unknown wallet and unknown money as refused, and a key that is no operator’s as not done', async () => {
    const hash = await unmatchedMoney(service, 2_000);
    const assign = (id: string, to: string, more: object = {}) =>
      runSatchel(['suspense', 'assign', id, to, '--yes', '--reason', 'x'], { ...commandSettings(service.client), ...more });
    expect(await assign(hash, 'wal_none')).toMatchObject({ code: 1, output: expect.stringMatching(/^Refused: There is no wallet/) });
    expect((await assign('ab'.repeat(32), 'wal_none')).code).toBe(1);
    const { secret_key: member } = await service.client.post('/v1/accounts', {});
    for (const OPERATOR_KEY of [member, `sak_${'x'.repeat(28)}`, service.client.publicKey]) {
      const rejected = await assign(hash, 'wal_none', { OPERATOR_KEY });
      expect(rejected).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining('OPERATOR_KEY') });
      expect(rejected.output).not.toContain(OPERATOR_KEY.slice(4));
    }
    // What `cat DATA_DIR/first-key` prints.
    const both = await assign(hash, 'wal_none', { OPERATOR_KEY: `${service.client.secretKey}\n${service.client.publicKey}` });
    expect(both).toMatchObject({ code: 2, output: expect.stringContaining('OPERATOR_KEY must be one key') });
    expect(both.output).not.toContain(service.client.secretKey);
  });

  it('uses BOOTSTRAP_SECRET_KEY or the file of the first key, as long as one of them is there', async () => {
    const settings = { PORT: new URL(service.client.url).port, OPERATOR_KEY: '' };
    const bare = await runSatchel(['payment', 'list'], { ...settings, DATA_DIR: service.dataDir });
    expect(bare).toMatchObject({ code: 2, output: expect.stringContaining('`satchel key recover` creates one') });
    const chosen = { ...settings, DATA_DIR: service.dataDir, BOOTSTRAP_SECRET_KEY: service.client.secretKey };
    expect(await runSatchel(['payment', 'list'], chosen)).toMatchObject({ code: 0 });
    const folder = mkdtempSync(join(tmpdir(), 'satchel-key-'));
    writeFileSync(join(folder, 'first-key'), `${service.client.secretKey}\npak_x\n`);
    expect(await runSatchel(['payment', 'list'], { ...settings, DATA_DIR: folder })).toMatchObject({ code: 0 });
    rmSync(folder, { recursive: true });
  });
});

it.each([
  ['suspense', ['keep', 'ab'.repeat(32), 'wal_1', '--reason', 'x'], "Unknown command 'keep'."],
  ['suspense', ['assign', 'ab'.repeat(32), '--reason', 'x'], "Missing required argument 'wallet'."],
  ['suspense', ['assign', 'ab'.repeat(32), 'wal_1'], "Required option '--reason <text>' not specified."],
  ['suspense', ['assign', 'ab'.repeat(32), 'wal_1', '--reason', ' '], '--reason must have 1 to 500'],
  ['suspense', ['assign', 'abc', 'wal_1', '--reason', 'x'], 'The payment hash must be 64'],
  ['held', ['cancel', 'lnd_1', 'abc', '--reason', 'x'], 'The payment hash must be 64'],
  ['held', ['settle', 'lnd_1', 'ab'.repeat(32), 'abc', '--reason', 'x'], 'The preimage must be 64'],
  ['held', ['settle', 'lnd_1', 'ab'.repeat(32), '--reason', 'x'], "Missing required argument 'preimage'."],
  ['held', ['cancel', 'wal_1', 'ab'.repeat(32), '--reason', 'x'], 'The node must be an id'],
  ['suspense', ['assign', 'ab'.repeat(32), 'waka_1', '--reason', 'x'], 'not a key'],
  ['payment', ['resolve', 'lntx_1', '--reason', 'x'], 'Give one of --preimage'],
  ['payment', ['resolve', 'lntx_1', '--failed', '--preimage', 'ab'.repeat(32), '--reason', 'x'], 'Give one of --preimage'],
  ['payment', ['resolve', 'lntx_1', '--failed'], "Required option '--reason <text>'"],
  ['payment', ['resolve', 'lntx_1', '--preimage', 'ab', '--reason', 'x'], '--preimage must be 64'],
  ['payment', ['resolve', 'wtx_1', '--failed', '--reason', 'x'], 'an id (lntx_'],
])('satchel %s rejects %j with the reason', async (name, args, message) => {
  const refused = await runSatchel([name, ...args], { DATA_DIR: '/nowhere/at/all' });
  expect(refused).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining(message) });
});
