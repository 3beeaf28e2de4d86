import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, clientOf, type TestWallet } from '../support/client.ts';
import { processSettings, runSatchel, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';

/** Restores with the commands of an operator. The fake node survives each loss of the database. */
describe('an operator who has lost the database', { timeout: 240_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-restore-'));
  const backups = join(dataDir, 'backups');
  let settings: Record<string, string>;
  let identity: string;
  let service: ServiceProcess | undefined;

  beforeAll(async () => {
    identity = await generateX25519Identity();
    const own = { BACKUP_RECIPIENTS: await identityToRecipient(identity), BACKUP_DIR: backups, BACKUP_INTERVAL_SECONDS: '0' };
    settings = { ...(await processSettings(dataDir, `sqlite:${join(dataDir, 'satchel.db')}`)), ...own, LIGHTNING_URL: 'fake:' };
  });
  afterAll(async () => {
    await service?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function command(...args: string[]): Promise<string> {
    const { code, output, stdout } = await runSatchel(args, settings);
    expect(code, output).toBe(0);
    return stdout;
  }
  const status = async () => JSON.parse(await command('restore', 'status', '--json'));
  const balance = async (client: Client, { id }: TestWallet): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance_msat;

  function loseDatabase(): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `satchel.db${suffix}`), { force: true });
  }

  async function receive(client: Client, wallet: TestWallet, sats: number): Promise<void> {
    const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: sats });
    await client.post('/playground/pay', { payment_request: paymentRequest });
  }

  async function pay(client: Client, wallet: TestWallet, sats: number): Promise<void> {
    const { payment_request: paymentRequest } = await client.post('/playground/invoice', { num_satoshis: sats });
    await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
  }

  async function readBack(): Promise<void> {
    await vi.waitUntil(async () => (await status()).reconciliation.status !== 'waiting', { timeout: 150_000, interval: 500 });
  }

  it('gets every wallet back as the node knows it, from a backup and without one', async () => {
    service = await startProcess(settings);
    const { client } = service;
    const [alma, bert] = [await client.wallet(1000), await client.wallet(100)];
    await command('backup');
    const manifest = readdirSync(backups).find((name) => name.endsWith('.json')) ?? '';
    await receive(client, alma, 200);
    await pay(client, bert, 30);
    const late = await client.wallet(70);
    const balances = await Promise.all([alma, bert].map((wallet) => balance(client, wallet)));
    await service.kill();

    loseDatabase();
    const run = ['restore', 'run', join(backups, manifest), '--identity-file', '-'];
    const restored = await runSatchel(run, settings, `# a comment\n${identity}\n`);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('satchel restore status') });
    const early = await runSatchel(['restore', 'accept', '--reason', 'too early', '--yes'], settings);
    expect(early).toMatchObject({ code: 2, output: expect.stringContaining('Start the service') });
    service = await startProcess(settings);
    await readBack();
    expect(await status()).toMatchObject({ quarantined: true, read_back: { status: 'complete' }, shortfalls: { num_msat: 0 } });
    expect(await command('restore', 'status')).toContain('The ledger and the nodes agree.');
    expect(await Promise.all([alma, bert].map((wallet) => balance(service?.client as Client, wallet)))).toEqual(balances);
    await command('restore', 'accept', '--reason', 'read back', '--yes');
    await vi.waitUntil(
      async () =>
        pay(service?.client as Client, bert, 1).then(
          () => true,
          () => false,
        ),
      { timeout: 150_000, interval: 200 },
    );
    const last = await Promise.all([alma, bert].map((wallet) => balance(service?.client as Client, wallet)));
    await service.kill();
    expect((await runVerify(settings)).code).toBe(0);

    loseDatabase();
    expect(await command('restore', 'empty')).toContain('TAKE_OVER_FROM_LEDGER');
    const refused = await startProcess(settings).then(
      () => '',
      (error) => String(error),
    );
    const ledger = /TAKE_OVER_FROM_LEDGER=(lnd_[0-9A-Za-z]+)/.exec(refused)?.[1] ?? '';
    expect(ledger).not.toBe('');
    settings = { ...settings, TAKE_OVER_FROM_LEDGER: ledger };
    service = await startProcess(settings);
    await readBack();
    const restore = await status();
    expect(restore.recovered_wallets).toMatchObject({ count: 3, items: expect.arrayContaining([alma.id, bert.id, late.id]) });
    const key = (await command('key', 'recover', restore.recovered_wallets.account_id)).trim();
    const owner = clientOf(service.client.url, key, '');
    expect(await Promise.all([alma, bert, late].map((wallet) => balance(owner, wallet)))).toEqual([...last, 70_000]);
    await command('restore', 'accept', '--reason', 'read back', '--yes');
    await service.kill();
    expect((await runVerify(settings)).code).toBe(0);
  });
});
