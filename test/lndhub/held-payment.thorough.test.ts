import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';
import { appOfWallet } from './app.ts';

const HELD_MS = 90_000;
/** Zeus gives up after 61 seconds. */
const PATIENCE_MS = 61_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`a payment of a wallet app that is held for 90 seconds (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const folder = mkdtempSync(join(tmpdir(), 'satchel-lndhub-'));
    const running: { service?: ServiceProcess } = {};
    afterAll(async () => {
      await running.service?.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each([
      ['', false],
      [', also if the service is killed meanwhile', true],
    ])(
      'H1: is answered before the app gives up, and with its success when it is repeated: one debit%s',
      async (_, isKilled) => {
        const settings = {
          ...(await processSettings(join(folder, String(isKilled)), await urls())),
          LIGHTNING_URL: 'fake:?seed=1',
          LNDHUB: 'true',
          PAYMENT_WAIT_SECONDS: '110',
        };
        let service = await startProcess(settings);
        running.service = service;
        const wallet = await service.client.wallet(1000);
        const { payment_request: invoice, payment_hash: paymentHash } = await service.client.post('/playground/invoice', {
          num_satoshis: 20,
          hold: true,
        });
        const pay = () => appOfWallet(service.client, wallet).pay(invoice, 0);
        const settled = new Promise((resolve) => setTimeout(resolve, HELD_MS)).then(() => service.client.decideHold(paymentHash, 'settle'));
        const patience = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS, undefined));
        const first = await Promise.race([pay(), patience]);
        expect([first?.status, first?.body.code]).toEqual([503, 7]);
        if (isKilled) {
          await service.kill();
          service = await startProcess(settings);
          running.service = service;
        }
        const repeated = await pay();
        await settled;
        const last = repeated.status === 200 ? repeated : await pay();
        expect([last.status, last.body.value]).toEqual([200, 20]);
        expect((await pay()).text).toBe(last.text);
        expect(await appOfWallet(service.client, wallet).balance()).toBe(980);
        expect((await runVerify(settings)).code).toBe(0);
        expect(await service.stop()).toBe(0);
      },
      400_000,
    );
  });
}
