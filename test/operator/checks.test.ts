import { expect, it } from 'vitest';
import { judgeLiquidity, judgeNode } from '../../src/features/operator/checks/nodes.ts';
import { judgeAlertChannels, judgePublicAddress } from '../../src/features/operator/checks/settings.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const node = { name: 'hub', status: 'ready', reason: null, isSynced: true } as const;

it.each([
  ['one that answers', {}, 'ok', 'hub answers and is synchronized with the blockchain'],
  ['one that does not report its chain', { isSynced: null }, 'ok', 'hub answers'],
  ['one that is behind', { isSynced: false }, 'warn', 'hub is not synchronized with the blockchain'],
  ['one without an answer', { status: 'unavailable', reason: 'connect: timed out.' }, 'fail', 'hub does not answer: connect: timed out'],
  ['one that cannot send', { status: 'cannot_send', reason: 'no route' }, 'fail', 'hub cannot send: no route'],
] as const)('judges a node: %s', (_name, changes, status, text) => {
  const finding = judgeNode({ ...node, ...changes });
  expect([finding.status, finding.text]).toEqual([status, text]);
  expect(finding.remedy === null).toBe(status === 'ok');
});

it('warns of a node that can send nothing or receive nothing, and judges no unknown amounts', () => {
  const texts = (...amounts: [number | null, number | null]) => judgeLiquidity('hub', ...amounts).map(({ text }) => text);
  expect(texts(5_000, 5_000)).toEqual(['hub can send and receive over Lightning']);
  expect(texts(5_000, 999)).toEqual(['hub cannot receive over Lightning']);
  expect(texts(0, 0)).toEqual(['hub cannot receive over Lightning', 'hub cannot send over Lightning']);
  expect(texts(null, 5_000)).toEqual([]);
});

it.each([
  ['http://127.0.0.1:4021', undefined, ['public URL warn']],
  ['https://wallet.example', 1, ['public URL ok']],
  ['https://wallet.example', undefined, ['public URL ok', 'proxy fail']],
  ['http://wallet.example', 1, ['public URL fail']],
  ['http://abcdef.onion', 1, ['public URL ok']],
] as const)('judges the public address %s with TRUST_PROXY %s', (publicUrl, trustProxy, expected) => {
  const found = judgePublicAddress({ publicUrl, trustProxy, localHosts: ['127.0.0.1:4021'] });
  expect(found.map(({ subject, status }) => `${subject} ${status}`)).toEqual(expected);
});

it('warns when alerts are sent nowhere, and names the channels otherwise', () => {
  expect(judgeAlertChannels({ email: undefined, telegram: undefined }).status).toBe('warn');
  expect(judgeAlertChannels({ email: {}, telegram: {} })).toMatchObject({ status: 'ok', text: 'alerts are sent by email and Telegram' });
});

onFakeNode('the checks of a running service', ({ client, net }) => {
  const read = (): Promise<Json[]> => client.get('/v1/operator/checks');

  it('list failures first, with what to do about everything that is not fine', async () => {
    const found = await read();
    expect([...new Set(found.map(({ subject }) => subject))].toSorted()).toEqual([
      'alerts',
      'backup',
      'disk',
      'files',
      'liquidity',
      'node',
      'public URL',
      'runtime',
    ]);
    for (const { status, remedy } of found) expect(remedy === null).toBe(status === 'ok');
    const order = ['fail', 'warn', 'ok'];
    const statuses = found.map(({ status }) => status);
    expect(statuses).toEqual(statuses.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(found.find(({ subject }) => subject === 'node').status).toBe('ok');
  });

  it('report a node that does not answer, and are read by operators alone', async () => {
    net.always('info', { unavailable: true });
    try {
      const [first] = await read();
      expect(first).toMatchObject({ status: 'fail', subject: 'node', remedy: expect.stringContaining('LIGHTNING_URL') });
    } finally {
      net.always('info', {});
    }
    const wallet = await client.wallet();
    expect((await client.request('GET', '/v1/operator/checks', { key: wallet.admin })).status).toBe(403);
  });
});
