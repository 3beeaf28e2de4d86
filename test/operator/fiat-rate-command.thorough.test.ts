import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { commandSettings, runSatchel } from '../support/process.ts';

onFakeNode('satchel fiat-rate', (service) => {
  const { client } = service;
  const run = (...args: string[]) => runSatchel(['fiat-rate', ...args], commandSettings(client));

  it('sets, shows and removes the rate while the service runs, and records the operator', async () => {
    expect(await run('show')).toMatchObject({ code: 0, stdout: 'No fiat rate is set.\n' });
    const set = await run('set', 'eur', '61234.50');
    expect(set).toMatchObject({ code: 0, stdout: 'Done: 1 BTC is shown as 61234.50 EUR.\n' });
    expect(await client.get('/v1/fiat-rate')).toMatchObject({ currency: 'EUR', per_btc: '61234.50' });
    expect((await run('show')).stdout).toMatch(/^1 BTC is 61234\.50 EUR, set at \S+Z, \d+ s ago\.\n$/);
    expect(await run('remove')).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: no fiat value is shown.') });
    expect(await client.get('/v1/fiat-rate')).toEqual({ currency: null, per_btc: null, set_at: null });
    expect(await client.get('/v1/operator/actions')).toMatchObject([
      { kind: 'remove_fiat_rate', requested_by: expect.stringMatching(/^key_\w+ of acc_\w+$/) },
      { kind: 'set_fiat_rate', subject: 'EUR', target: '61234.50' },
    ]);
  });

  it('changes nothing and reports that no service runs', async () => {
    const before = await client.get('/v1/fiat-rate');
    await service.restart(async () => {
      expect(await run('set', 'JPY', '14500000')).toMatchObject({ code: 2, output: expect.stringContaining('no service answers') });
    });
    expect(await client.get('/v1/fiat-rate')).toEqual(before);
  });

  it.each([
    [['BTC', '1'], '`currency` must be an ISO 4217 code'],
    [['EUR', '-1'], '`per_btc` must be'],
    [['EUR', '0'], '`per_btc` must be a string with a decimal number above 0'],
    [['EUR', '1e9'], '`per_btc` must be'],
    [['EUR', '61,234'], '`per_btc` must be'],
  ])('refuses %j with the rule', async (args, message) => {
    expect(await run('set', ...args)).toMatchObject({ code: 1, stdout: '', output: expect.stringContaining(`Refused: ${message}`) });
  });
});

it.each([
  [['set', 'EUR'], "Missing required argument 'price'."],
  [['remove', 'EUR'], 'Too many arguments'],
  [['set', 'EUR', '1', '2'], 'Too many arguments'],
  [[], 'Usage:'],
])('satchel fiat-rate rejects %j with the reason', async (args, message) => {
  const rejected = await runSatchel(['fiat-rate', ...args], { DATA_DIR: '/nowhere/at/all' });
  expect(rejected).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining(message) });
});
