import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { processSettings, runSatchel, startProcess } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'satchel-login-link-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('satchel login-link creates a setup link that replaces the one before, while the service runs', async () => {
  const settings = await processSettings(folder, `sqlite:${join(folder, 'satchel.db')}`);
  const service = await startProcess(settings);
  try {
    const first = (await runSatchel(['login-link'], { ...settings })).stdout.trim();
    const { code, stdout, output } = await runSatchel(['login-link'], { ...settings });
    expect(code).toBe(0);
    expect(stdout.trim()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/setup#\w{43}$/);
    expect(output.replace(stdout, '')).not.toContain(new URL(stdout).hash.slice(1));
    const browser = new Browser(service.client);
    const setUp = (url: string) =>
      browser.send('POST', '/v1/session/setup', {
        token: new URL(url).hash.slice(1),
        email: 'ada@example.com',
        password: 'a long password',
      });
    expect((await setUp(first)).status).toBe(401);
    expect((await setUp(stdout.trim())).body.account).toMatchObject({ role: 'operator', email: 'ada@example.com' });
    const unknown = await runSatchel(['login-link', 'acc_unknown'], { ...settings });
    expect(unknown.code).toBe(2);
    expect(unknown.output).toContain('There is no account acc_unknown.');
  } finally {
    await service.kill();
  }
});
