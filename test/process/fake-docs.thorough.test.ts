import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { processSettings, startProcess } from '../support/process.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'fake-node.md'), 'utf8');

it('runs the pasted commands of docs/fake-node.md, with the results on the page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-fake-docs-'));
  const settings = { ...(await processSettings(folder, `sqlite:${join(folder, 'satchel.db')}`)), LIGHTNING_URL: 'fake:?seed=1' };
  const service = await startProcess(settings);
  try {
    const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    const pasted = blocks.filter((text) => !text.startsWith('LIGHTNING_URL')).join('\n');
    const env = { ...process.env, KEY: service.client.secretKey, URL: service.client.url };
    const { stdout } = await promisify(execFile)('bash', ['-c', pasted], { env });
    const said = stdout.split('\n').filter((line) => line.startsWith('{"status":"') && line.endsWith('"}'));
    const promised = [...pasted.matchAll(/# → (.*)/g)].map(([, text]) => text);
    expect(promised.length).toBeGreaterThan(3);
    expect(said).toEqual(promised);
  } finally {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
