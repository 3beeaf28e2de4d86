import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runSatchel, type ServiceProcess, startProcess } from '../support/process.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`satchel reconcile (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const dataDir = mkdtempSync(join(tmpdir(), 'satchel-reconcile-'));
    const running: { service?: ServiceProcess } = {};
    afterAll(async () => {
      await running.service?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('S6 S11: lists a stuck payment until the node reports its result, and reads no balance while the service is down', async () => {
      const settings = { ...(await processSettings(dataDir, await urls())), STUCK_PAYMENT_SECONDS: '0', PAYMENT_WAIT_SECONDS: '0' };
      const reconcile = (...args: string[]) => runSatchel(['reconcile', ...args], settings);
      const service = await startProcess(settings);
      running.service = service;
      const { client } = service;
      // The node’s own funds are measured while nothing arrives.
      await reconcile();
      const wallet = await client.wallet(50_000);
      const clean = await reconcile('--json');
      expect(clean.code).toBe(0);
      expect(JSON.parse(clean.output)).toMatchObject({
        alerts: [],
        report: {
          nodes: [
            { incomplete_reason: null, balance_status: 'measured', customers_msat: 50_000_000, difference_msat: 0, compared_invoices: 1 },
          ],
        },
      });

      const held: Json = await client.post('/playground/invoice', { num_satoshis: 1000, hold: true });
      const { lnTx } = await client.post(`/v1/wallet/${wallet.admin}/withdraw`, { payment_request: held.payment_request });
      await expect.poll(async () => evidenceOf(await reconcile('--json'))).toBe('pending');
      const stuck = await reconcile();
      expect(stuck.code).toBe(1);
      expect(stuck.output).toMatch(new RegExp(`${lnTx.id} +${wallet.id} +1,000,000 +.*s +pending`));
      expect(stuck.output).toContain(`payment_stuck ${lnTx.id}`);
      expect(stuck.output).toContain('Never refund it by hand before.');
      expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ pending_msat: 1_050_000 });

      await client.decideHold(held.payment_hash, 'settle');
      await expect.poll(async () => (await client.get(`/v1/lntx/${lnTx.id}`)).settled).toBe(1);
      const gone = await reconcile();
      expect(gone.output).toContain('Stuck payments: none.');
      expect(gone.output).toContain('Open alerts: none.');
      expect(gone.code).toBe(0);
      expect(service.output().match(/alert: payment_stuck/g)).toHaveLength(1);

      const accepted = await reconcile('--new-baseline', '--yes', '--reason', 'the first quiet moment');
      expect(accepted).toMatchObject({ code: 0, output: expect.stringMatching(/ 0 {2}difference/) });

      const mistyped = await reconcile('--seen', `${lnTx.id}x`);
      expect(mistyped.code).toBe(2);
      expect(mistyped.output).toContain('no open alert is about what --seen names');

      expect(await service.stop()).toBe(0);
      const alone = await reconcile();
      expect(alone.code).toBe(2);
      expect(alone.output).toContain('no service answers at http://127.0.0.1:');
    });
  });
}

it.each([
  ['reconcile', ['--sean', 'lntx_1']],
  ['reconcile', ['lntx_1']],
  ['reconcile', ['--seen']],
  ['reconcile', ['--reason', 'no baseline']],
  ['verify', ['--anything']],
  ['playground', ['--port=1']],
])('satchel %s does nothing with unknown arguments: %j', async (name, args) => {
  const rejected = await runSatchel([name, ...args], { DATA_DIR: '/nowhere/at/all' });
  expect(rejected).toMatchObject({ code: 2, stdout: '', output: expect.stringMatching(/^[A-Z][^\n]+[.?]\n(See .*\n)?$/) });
});

function evidenceOf({ output }: { output: string }): string | undefined {
  return JSON.parse(output).stuck[0]?.evidence?.node_state;
}
