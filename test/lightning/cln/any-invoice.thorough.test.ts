import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendpayRow } from '../../../src/core/lightning/cln/rpc.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, type ServiceProcess, startProcess } from '../../support/process.ts';
import { seedOf } from '../any-invoice.ts';
import { type PayAnyInvoice, payAnyInvoice } from '../pay-any-invoice.ts';
import { writeRefusals } from './refusals.ts';
import { canRunNodes, type Regtest, startRegtest, until, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

const COUNT = Number(process.env.INVOICES ?? 2000);
const FUNDS_SAT = 2_000_000;

describe('any invoice that the decoder accepts, on a real Core Lightning', () => {
  if (!canRunNodes) {
    it('is not tested', ({ skip }) => skip(WITHOUT_NODES));
    return;
  }
  const urls = freshUrls('sqlite');
  const directory = mkdtempSync(join(tmpdir(), 'satchel-cln-any-'));
  let network: Regtest;
  let service: ServiceProcess;
  let paying: PayAnyInvoice;

  beforeAll(async () => {
    network = await startRegtest();
    const control = regtestControl(network);
    const own = await processSettings(join(directory, 'data'), await urls());
    const settings = { ...own, LIGHTNING_URL: network.nodes.svc.socketUrl(), LOG_LEVEL: 'error', RATE_LIMIT_PER_SECOND: '0' };
    service = await startProcess(settings);
    const wallet = await service.client.wallet();
    const { payment_request } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: FUNDS_SAT });
    await control.payInvoice({ paymentRequest: payment_request, from: 'alice' });
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
    const { answers, refused } = await payAnyInvoice(paying, { count: COUNT, seed, atOnce: 32 });
    console.log({ seed, COUNT, ...answers });
    const { payments } = await network.nodes.svc.rpc<{ payments: SendpayRow[] }>('listsendpays');
    expect(payments.filter(({ status }) => status === 'pending')).toEqual([]);
    const paid = payments.filter(({ status }) => status === 'complete');
    for (const { payment_hash } of paid) expect((await service.client.get(`/v1/lntx/${payment_hash}`)).status).toBe('settled');
    expect(paid.length).toBeGreaterThan(0);
    if (process.env.RECORD_REFUSALS) await writeRefusals(network.nodes.svc, refused, process.env.RECORD_REFUSALS);
  });
});
