import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { commandSettings, runSatchel } from '../support/process.ts';

onFakeNode('the commands for customers', (service) => {
  const { client } = service;
  const run = (...args: string[]) => runSatchel(args, commandSettings(client));

  it('creates an account whose key, from a file or standard input, manages its wallets and keys', async () => {
    const created = await run('account', 'create', '--max-wallets', '3', '--reason', 'new customer');
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sak_\w{28}\n$/) });
    const key = created.stdout.trim();
    const id = /acc_\w+/.exec(created.output)?.[0] ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'satchel-customer-'));
    const file = join(folder, 'key');
    writeFileSync(file, `${key}\n`);
    try {
      const asCustomer = (...args: string[]) => run(...args, '--key-file', file);
      const wallet = (await asCustomer('wallet', 'create', '--label', 'till')).stdout.trim();
      expect(wallet).toMatch(/^wal_/);
      expect((await asCustomer('wallet', 'list')).stdout).toMatch(new RegExp(`${wallet} +0 +0 +active +till\n`));
      expect((await asCustomer('wallet', 'show', wallet)).stdout).toContain('“till”: active');
      expect(await asCustomer('wallet', 'stop', wallet)).toMatchObject({ code: 0, stdout: `Done: ${wallet} is inactive.\n` });
      expect(await run('wallet', 'show', wallet)).toMatchObject({ code: 1, output: expect.stringMatching(/^Refused: /) });
      const fromInput = await runSatchel(['wallet', 'list', '--json', '--key-file', '-'], commandSettings(client), key);
      expect(JSON.parse(fromInput.stdout)).toMatchObject({ id: wallet, status: 'inactive' });

      const reading = await asCustomer('key', 'create', '--wallet', wallet, '--kind', 'wallet_read');
      expect(reading.stdout).toMatch(/^wakr_/);
      const keyId = /key_\w+/.exec(reading.output)?.[0] ?? '';
      expect((await asCustomer('key', 'list', '--wallet', wallet)).stdout).toMatch(new RegExp(`${keyId} +wallet_read +active`));
      expect(await asCustomer('key', 'revoke', keyId, '--wallet', wallet)).toMatchObject({
        code: 2,
        output: expect.stringContaining('--yes'),
      });
      expect((await asCustomer('key', 'revoke', keyId, '--wallet', wallet, '--yes')).code).toBe(0);
      expect((await asCustomer('key', 'list', '--wallet', wallet)).stdout).toMatch(new RegExp(`${keyId} +wallet_read +revoked`));

      expect((await run('account', 'freeze', id, '--reason', 'a test')).stdout).toBe(`Done: ${id} is frozen.\n`);
      expect((await run('account', 'show', id)).stdout).toContain('member, frozen');
      expect((await run('account', 'list')).stdout).toMatch(new RegExp(`${id} +member +frozen +1 `));
      expect((await run('account', 'log', id)).stdout).toMatch(/change_account .*status: active → frozen +a test/);
      expect((await run('account', 'unfreeze', id, '--reason', 'a test')).code).toBe(0);
      expect(await asCustomer('account', 'list')).toMatchObject({ code: 2, stdout: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('connects an app to a wallet, lists it with its budget, and disconnects it', async () => {
    const { id: wallet } = await client.wallet(100);
    const connected = await run('app', 'connect', wallet, '--label', 'phone', '--budget', '50000/month');
    expect(connected.stdout).toMatch(/^nostr\+walletconnect:\/\/[0-9a-f]{64}\?relay=ws%3A%2F%2F.*&secret=[0-9a-f]{64}\n$/);
    const id = /nwc_\w+/.exec(connected.output)?.[0] ?? '';
    expect((await run('app', 'list', wallet)).stdout).toMatch(
      new RegExp(`${id} +active .*0 of 50[ \u2009\u202f,]000[ \u2009\u202f,]000 msat a month +phone`),
    );
    const reading = JSON.parse((await run('app', 'connect', wallet, '--read-only', '--json')).stdout);
    expect(reading.permissions).toEqual(['wallet_read', 'wallet_tx_read']);
    for (const budget of ['0/month', '50000', '1.5/day', '5/year'])
      expect(await run('app', 'connect', wallet, '--budget', budget)).toMatchObject({
        code: 2,
        output: expect.stringContaining('--budget must be'),
      });
    expect(await run('app', 'disconnect', wallet, id)).toMatchObject({ code: 2, output: expect.stringContaining('--yes') });
    expect(await run('app', 'disconnect', wallet, id, '--yes')).toMatchObject({ code: 0, stdout: `Done: ${id} is disconnected.\n` });
    expect((await run('app', 'list', wallet)).stdout).toMatch(new RegExp(`${id} +revoked`));
  });

  it('exports statements as CSV with a column for the wallet, and as JSON lines', async () => {
    const [from, to] = [await client.wallet(100), await client.wallet()];
    const memo = 'two\r\nlines, "quoted"';
    await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 7, memo });
    const { text } = await client.request('GET', `/v1/wallet/${to.id}/statement`, { key: client.secretKey });
    expect(await run('export', 'wallet', to.id)).toMatchObject({ code: 0, stdout: text });
    const [line] = (await run('export', 'wallet', to.id, '--json')).stdout.trimEnd().split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ num_msat: 7000, user_label: memo });
    const { stdout } = await run('export', 'account');
    expect(stdout).toMatch(/^wallet,time,id,/);
    expect(stdout).toContain(`\n${to.id},${String(text).split('\r\n').slice(1).join('\r\n')}`);
    expect(stdout.match(/,time,id,/g)).toHaveLength(1);
    expect((await run('export', 'wallet', to.id, '--to', '2020-01-01')).stdout).toMatch(/^time,id,[^\n]*\n$/);
    expect(await run('export', 'account', '--from', '2026-02-30')).toMatchObject({ code: 2, stdout: '' });
    expect(await run('export', 'wallet', 'wal_none')).toMatchObject({ code: 1, stdout: '', output: expect.stringMatching(/^Refused: /) });
  });

  it('stops quietly when the reader of a long list stops reading', async () => {
    for (let i = 0; i < 300; i++) await client.post('/v1/wallet', { user_label: 'w'.repeat(200) });
    expect((await run('wallet', 'list')).stdout.split('\n').length).toBeGreaterThan(300);
    const env = { ...process.env, ...commandSettings(client) };
    const child = spawn(process.execPath, ['src/cli/satchel.ts', 'wallet', 'list', '--json'], { env });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'close');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('shows proofs of liabilities', async () => {
    const proofs = await run('proof', 'list');
    expect(proofs.code).toBe(0);
    expect(await run('proof', 'show', '0')).toMatchObject({ code: 2, output: expect.stringContaining('satchel proof list') });
  });
});
