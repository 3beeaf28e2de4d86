import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseFakeUrl } from '../../../devnet/fake/fake-url.ts';
import { NO_FAULTS } from '../../../devnet/fake/faults.ts';
import { openFake } from '../../../devnet/fake/open.ts';
import { readConfig } from '../../../src/config.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { InvalidConfig } from '../../../src/settings.ts';
import { nodeContract } from '../../lightning/contract.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { collectLog } from '../playground/support/open.ts';

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'satchel-fake-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const contractDir = tempDir();
nodeContract('the fake node in a file', { open: async () => openFake({ url: 'fake:', dataDir: contractDir, log: collectLog() }) });

describe('the file', () => {
  it('is open in one process only, and belongs to one seed', async () => {
    const dataDir = tempDir();
    const log = collectLog();
    const { node } = openFake({ url: 'fake:?seed=1', dataDir, log });
    expect(() => openFake({ url: 'fake:?seed=1', dataDir, log })).toThrow('stop the other process');
    await node.close();
    expect(() => openFake({ url: 'fake:?seed=2', dataDir, log })).toThrow('was made with seed=1: use that seed');
    await openFake({ url: 'fake:?seed=1', dataDir, log }).node.close();
  });

  it('allows a payment that was rejected to arrive again after a restart', async () => {
    const options = { url: 'fake:', dataDir: tempDir(), log: collectLog() };
    const first = openFake(options);
    first.node.guardIncoming(async () => 'refuse');
    const { paymentRequest } = await nodeInvoice(first.node, { description: '', expirySeconds: 600 });
    const request = { paymentRequest, from: 'alice', amountMsat: msat(5_000) } as const;
    expect(await first.control.payInvoice(request)).toMatchObject({ state: 'failed' });
    await first.node.close();
    const second = openFake(options);
    second.node.guardIncoming(async () => 'claim');
    expect(await second.control.payInvoice(request)).toMatchObject({ state: 'succeeded' });
    await second.node.close();
  });

  it('logs a warning when it is opened', async () => {
    const log = collectLog();
    await openFake({ url: 'fake:', dataDir: tempDir(), log }).node.close();
    expect(log.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('FAKE') }]);
  });
});

describe('LIGHTNING_URL', () => {
  it.each([
    ['fake:', { seed: '1', behaves: 'ideal', rates: NO_FAULTS }],
    ['fake:?seed=abc', { seed: 'abc', behaves: 'ideal', rates: NO_FAULTS }],
    ['fake:?late-success=1', { seed: '1', behaves: 'ideal', rates: { ...NO_FAULTS, lateSuccess: 1 } }],
  ])('%s', (url, address) => {
    expect(parseFakeUrl(url)).toEqual(address);
    expect(readConfig({ LIGHTNING_URL: url }).lightningUrls).toEqual([url]);
  });

  it('sets all rates except false results with faults=…, and one of them separately', () => {
    const { rates } = parseFakeUrl('fake:?lose-answer=0.5&faults=0.1');
    expect(rates).toMatchObject({ loseAnswer: 0.5, loseCall: 0.1, reorder: 0.1, breakWatch: 0.1, lateSuccess: 0 });
  });

  it.each([
    ['fake', 'LIGHTNING_URL must be lnd+rest://host:port?cert=…&macaroon=…, cln+unix:///path/to/lightning-rpc, '],
    ['fake:x', 'LIGHTNING_URL: write fake: or fake:?seed=1'],
    ['fake:?seed=', 'LIGHTNING_URL: the seed must be 1 to 64 letters'],
    ['fake:?faults=2', 'LIGHTNING_URL: faults must be a rate from 0 to 1'],
    ['fake:?slow=-1', 'LIGHTNING_URL: slow must be a rate from 0 to 1'],
    ['fake:?typo=1', 'LIGHTNING_URL: it may have seed, behaves, faults, lose-call, lose-answer'],
  ])('%s is rejected with a helpful error', (url, message) => {
    expect(() => readConfig({ LIGHTNING_URL: url })).toThrow(InvalidConfig);
    expect(() => readConfig({ LIGHTNING_URL: url })).toThrow(message);
  });
});
