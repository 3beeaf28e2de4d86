import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runSatchel, type ServiceProcess, startProcess } from '../support/process.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`satchel doctor (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const dataDir = mkdtempSync(join(tmpdir(), 'satchel-doctor-'));
    const running: { service?: ServiceProcess } = {};
    afterAll(async () => {
      await running.service?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('finds nothing wrong with a running service, then names what was broken, with a remedy', async () => {
      const settings: Record<string, string> = { ...(await processSettings(dataDir, await urls())), LIGHTNING_URL: 'fake:?seed=doctor' };
      const service = await startProcess(settings);
      running.service = service;
      const doctor = async (more: Record<string, string> = {}) => {
        const { code, stdout, output } = await runSatchel(['doctor', '--json'], { ...settings, ...more });
        const findings: Json[] = stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        expect(output).not.toContain(service.client.secretKey);
        const failures = findings.filter(({ status }) => status === 'fail');
        expect(code).toBe(failures.length === 0 ? 0 : 1);
        // The server of the tests runs without fsync.
        return { bad: failures.filter(({ text }) => !text.includes('runs with fsync')), findings };
      };
      const healthy = await doctor();
      expect(healthy.bad).toEqual([]);
      const subjects = new Set(healthy.findings.map(({ subject }) => subject));
      expect([...subjects]).toEqual(['clock', 'runtime', 'disk', 'files', 'database', 'secret key', 'backup', 'node', 'service', 'alerts']);

      const ofBackup = async () => (await doctor()).findings.filter(({ subject }) => subject === 'backup').map(({ text }) => text);
      expect(await ofBackup()).toContain('there is no backup: losing the disk loses the ledger');
      expect(await runSatchel(['backup', '--json'], settings)).toMatchObject({ code: 0, stdout: expect.stringContaining('"transfers":') });
      expect(await ofBackup()).toContain('the last backup is 0 minutes old');

      const closed = `127.0.0.1:${await freePort()}`;
      const broken = {
        SECRET_KEY: 'ab'.repeat(32),
        BACKUP_DIR: join(dataDir, 'first-key', 'below-a-file'),
        NWC_RELAYS: `ws://${closed}`,
        SMTP_URL: `smtp://${closed}`,
        ALERT_EMAIL_FROM: 'satchel@shop.example',
        ALERT_EMAIL_TO: 'owner@shop.example',
      };
      expect((await doctor(broken)).bad).toMatchObject([
        {
          subject: 'secret key',
          text: expect.stringContaining('is not that of the database'),
          remedy: expect.stringContaining('Set SECRET_KEY'),
        },
        { subject: 'backup', text: 'BACKUP_DIR is not writable (ENOTDIR)', remedy: expect.stringContaining('BACKUP_DIR') },
        { subject: 'relay', text: `${closed} cannot be reached (the connection failed)`, remedy: expect.stringContaining('NWC_RELAYS') },
        { subject: 'alerts', text: expect.stringContaining('The mail server 127.0.0.1'), remedy: expect.stringContaining('SMTP_URL') },
      ]);

      const folder = join(dataDir, 'backups');
      const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.gz'));
      const bytes = readFileSync(join(folder, archive));
      writeFileSync(join(folder, archive), bytes.subarray(1));
      expect((await doctor()).bad).toMatchObject([
        { subject: 'backup', text: expect.stringContaining('it is truncated'), remedy: expect.stringContaining('satchel backup') },
      ]);
      writeFileSync(join(folder, archive), bytes);

      const text = await runSatchel(['doctor'], settings);
      expect(text.stdout).toMatch(/^ok {4}clock /);
      expect(text.stdout).toMatch(/\n\d failures?, \d warnings?\.\n$/);

      chmodSync(join(dataDir, 'first-key'), 0o644);
      const open = await doctor();
      expect(open).toMatchObject({ bad: [{ subject: 'files', remedy: expect.stringContaining('chmod 600') }] });
      chmodSync(join(dataDir, 'first-key'), 0o600);

      // A proxy that passes headers on, as the service must not trust it without TRUST_PROXY.
      const proxy = createServer((incoming, response) => {
        const { method, url, headers } = incoming;
        const onward = request(`http://127.0.0.1:${settings.PORT}${url}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        incoming.pipe(onward);
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => proxy.once('listening', resolve));
      const PUBLIC_URL = `http://localhost:${(proxy.address() as AddressInfo).port}`;
      expect(await doctor({ PUBLIC_URL })).toMatchObject({
        bad: [{ subject: 'proxy', remedy: expect.stringContaining('Set TRUST_PROXY') }],
      });
      proxy.close();
      proxy.closeAllConnections();
      expect(await doctor({ PUBLIC_URL })).toMatchObject({ bad: [{ subject: 'public URL' }] });

      await service.stop();
      expect(await runSatchel(['restore', 'mark', '--as-of', '2026-11-24T01:02:03Z'], settings)).toMatchObject({ code: 0 });
      const restored = await runSatchel(['doctor'], settings);
      expect(restored.stdout).toMatch(/fail {2}database {4}it was restored, and no money is sent\n +→ Run `satchel restore status`/);
      const unconfirmed = await runSatchel(['restore', 'accept', '--reason', 'test', '--despite-differences'], settings);
      expect(unconfirmed.code).toBe(2);
      expect(unconfirmed.output).toMatch(/\nNothing was done: add --yes to confirm\.\n$/);
      const accepted = await runSatchel(['restore', 'accept', '--reason', 'test', '--despite-differences', '--yes'], settings);
      expect(accepted.code).toBe(0);
      expect(await doctor()).toMatchObject({ bad: [{ subject: 'service', text: expect.stringContaining('does not answer') }] });
      const elsewhere = dialect === 'sqlite' ? `sqlite:${join(dataDir, 'absent.db')}` : 'postgres://satchel@127.0.0.1:1/satchel';
      expect((await doctor({ DATABASE_URL: elsewhere })).bad).toMatchObject([{ subject: 'database' }, { subject: 'service' }]);
      const damaged = join(dataDir, 'damaged.db');
      writeFileSync(damaged, 'no pages of SQLite'.repeat(1000), { mode: 0o600 });
      expect((await doctor({ DATABASE_URL: `sqlite:${damaged}` })).bad).toMatchObject([
        {
          subject: 'database',
          text: expect.stringContaining('file is not a database'),
          remedy: expect.stringContaining('restore a backup'),
        },
        { subject: 'service' },
      ]);
    });
  });
}
