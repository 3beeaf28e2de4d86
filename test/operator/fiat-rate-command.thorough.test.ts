import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { runCommand } from '../support/process.ts';

onFakeNode('npm run fiat-rate', (service) => {
  const { client } = service;
  const run = (...args: string[]) => runCommand('src/cli/fiat-rate.ts', args, { DATABASE_URL: service.databaseUrl });

  it('sets, shows and removes the rate while the service runs, and records the operator', async () => {
    expect(await run()).toMatchObject({ code: 0, stdout: 'No fiat rate is set.\n' });
    const set = await run('eur', '61234.50');
    expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Done: 1 BTC is shown as 61234\.50 EUR\. \(opa_\w+\)\n$/) });
    expect(await client.get('/v1/fiat-rate')).toMatchObject({ currency: 'EUR', per_btc: '61234.50' });
    expect((await run()).stdout).toMatch(/^1 BTC is 61234\.50 EUR, set at \S+Z, \d+ s ago\.\n$/);
    expect(await run('remove')).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: no fiat value is shown.') });
    expect(await client.get('/v1/fiat-rate')).toEqual({ currency: null, per_btc: null, set_at: null });
    const [removal, setting] = await client.get('/v1/operator/actions');
    expect(removal).toMatchObject({ kind: 'remove_fiat_rate', requested_by: expect.stringMatching(/^\S+@\S+$/) });
    expect(set.stdout).toContain(setting.id);
  });

  it('works while no service runs', async () => {
    await service.restart(async () => {
      expect(await run('JPY', '14500000')).toMatchObject({ code: 0 });
    });
    expect(await client.get('/v1/fiat-rate')).toMatchObject({ currency: 'JPY', per_btc: '14500000' });
  });
});

it.each([
  [['EUR'], 'Usage:'],
  [['remove', 'EUR'], 'Usage:'],
  [['EUR', '1', '2'], 'Usage:'],
  [['EUR', '-1'], 'Usage:'],
  [['BTC', '1'], 'The currency must be an ISO 4217 code'],
  [['EUR', '0'], 'The price must be a decimal number above 0'],
  [['EUR', '1e9'], 'The price must be a decimal number above 0'],
  [['EUR', '61,234'], 'The price must be a decimal number above 0'],
])('npm run fiat-rate rejects %j with the reason', async (args, message) => {
  const rejected = await runCommand('src/cli/fiat-rate.ts', args, { DATA_DIR: '/nowhere/at/all' });
  expect(rejected).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining(message) });
});
