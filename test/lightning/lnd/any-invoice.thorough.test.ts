import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentRecord } from '../../../src/core/lightning/lnd/payment-record.ts';
import type { TestWallet } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, type ServiceProcess, startProcess } from '../../support/process.ts';
import { seedOf } from '../any-invoice.ts';
import { type PayAnyInvoice, payAnyInvoice } from '../pay-any-invoice.ts';
import { writeRefusals } from './refusals.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { hubSettings, regtestControl } from './regtest-control.ts';
import { until } from './regtest-lnd.ts';

const binaries = regtestBinaries();
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const COUNT = Number(process.env.INVOICES ?? 10_000);
const FUNDS_SAT = 5_000_000;

describe('any invoice that the decoder accepts, on a real LND', () => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls('sqlite');
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-any-'));
  let network: RegtestNetwork;
  let service: ServiceProcess;
  let wallet: TestWallet;
  let paying: PayAnyInvoice;

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, join(directory, 'network'), { holdsKeysends: false });
    const control = regtestControl(network);
    const settings = await hubSettings(network.hub, await processSettings(join(directory, 'data'), await urls()), KEY);
    service = await startProcess(settings);
    wallet = await service.client.wallet();
    const { payment_request } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: FUNDS_SAT });
    expect(await control.payInvoice({ paymentRequest: payment_request, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    await until('the wallet has money', async () => (await service.client.get(`/v1/wallet/${wallet.id}`)).balance === FUNDS_SAT);
    paying = { service, wallet, settings, control };
  }, 400_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('ends, holds no money afterwards, and is paid only if it is reported as settled', { timeout: 3_600_000 }, async () => {
    const seed = seedOf();
    const storm = await payAnyInvoice(paying, { count: COUNT, seed, atOnce: 32 });
    console.log({ seed, COUNT, ...storm.answers });
    const { payments } = await network.hub.call<{ payments: PaymentRecord[] }>(
      'GET',
      '/v1/payments?include_incomplete=true&max_payments=100000',
    );
    expect(payments.filter(({ status }) => status !== 'SUCCEEDED' && status !== 'FAILED')).toEqual([]);
    const paid = payments.filter(({ status }) => status === 'SUCCEEDED').map(({ payment_hash }) => payment_hash);
    for (const hash of paid) expect((await service.client.get(`/v1/lntx/${hash}`)).status).toBe('settled');
    expect(paid.length).toBeGreaterThan(0);
    const { channels } = await network.hub.call<{ channels: { pending_htlcs: unknown[] }[] }>('GET', '/v1/channels');
    expect(channels.flatMap(({ pending_htlcs }) => pending_htlcs)).toEqual([]);
    if (process.env.RECORD_REFUSALS) await writeRefusals(network.hub, storm.refused, process.env.RECORD_REFUSALS);
  });
});
