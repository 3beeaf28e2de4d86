import { afterEach, describe, expect, it, vi } from 'vitest';
import { remedyFor } from '../../../src/features/operator/checks/nodes.ts';
import { recording } from './recordings.ts';
import { type ScriptedLnd, scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();
const INFO = recording('11-balances', 'GetInfo').response.body as { readonly block_height: number };
const HASH = 'ab'.repeat(32);

afterEach(() => vi.restoreAllMocks());

/** Moves the clock that measures durations. */
function passSeconds(seconds: number): void {
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + seconds * 1000);
}

function atHeight(lnd: ScriptedLnd, block_height: number, more: object = {}): void {
  lnd.on('GET /v1/getinfo', { body: { ...INFO, block_height, ...more } });
}

describe('an LND whose Bitcoin node does not respond', () => {
  const failures = [
    ['fails', { status: 500, body: { code: 2, message: 'unable to get best block info: connection refused', details: [] } }],
    ['is silent', { messages: [], ending: 'reset' }],
  ] as const;

  it.each(failures)('cannot send and is not synchronized, but answers about held payments, when GetInfo %s', async (_, answer) => {
    const { lnd, node } = await open();
    expect(await node.info()).toMatchObject({ chain: { isSynced: true } });
    lnd.on('GET /v1/getinfo', answer);
    expect(await node.info()).toMatchObject({
      chain: { blockHeight: INFO.block_height, isSynced: false },
      cannotSend: expect.stringContaining('its Bitcoin node probably does not respond'),
    });
    const htlcs = [{ state: 'ACCEPTED', amt_msat: '5000', expiry_height: INFO.block_height + 83 }];
    lnd.on(`GET /v1/invoice/${HASH}`, { body: { state: 'ACCEPTED', htlcs } });
    expect(await node.lookupInvoice(HASH)).toEqual({ state: 'held', amountMsat: 5000, blocksLeft: 83 });
    atHeight(lnd, INFO.block_height + 1);
    expect(await node.info()).toMatchObject({ chain: { isSynced: true }, cannotSend: undefined });
  });

  it.each(failures)('is not described when it was not reached before, when GetInfo %s', async (_, answer) => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', answer);
    await expect(node.info()).rejects.toThrow();
  });

  it('does not answer when it is frozen', async () => {
    const { lnd, node } = await open();
    await node.info();
    for (const path of ['GET /v1/getinfo', 'GET /v1/state']) lnd.on(path, { messages: [], ending: 'reset' });
    await expect(node.info()).rejects.toThrow();
  });
});

describe('an LND that is starting', () => {
  it('names the block that it reads and, after five minutes without a newer one, the likely cause', async () => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/state', { body: { state: 'RPC_ACTIVE' } });
    atHeight(lnd, 700, { best_header_timestamp: '1700000000' });
    const reason = async () => (await node.info()).cannotSend;
    const text = 'LND is starting (RPC_ACTIVE); it has read block 700 of 2023-11-14';
    expect(await reason()).toContain(text);
    passSeconds(299);
    expect(await reason()).not.toContain('five minutes');
    passSeconds(2);
    expect(await reason()).toMatch(/read block 700 of .*no newer one for five minutes: its Bitcoin node, or the peers of neutrino/);
    atHeight(lnd, 701);
    expect(await reason()).not.toContain('five minutes');
    passSeconds(299);
    expect(await reason()).not.toContain('five minutes');
  });

  it.each([
    ['no wallet yet', 'Create its wallet: `lncli create`.'],
    ['locked', 'Unlock it: `lncli unlock`'],
    ['right after', 'Wait until the node has started.'],
  ])('is described with its remedy in doctor: %s', async (state, remedy) => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', recording('16-wallet-state', `${state}: getinfo`).response);
    if (state !== 'right after') lnd.on('GET /v1/state', recording('16-wallet-state', `${state}: state`).response);
    const reason = await node.info().catch((error: Error) => error.message);
    expect(remedyFor(String(reason))).toContain(remedy);
  });
});
