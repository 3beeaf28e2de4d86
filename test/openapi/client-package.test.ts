import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;

const PROGRAM = `import { createClient, type Wallet, type ErrorType, items, pages, waitForPayment } from 'satchel-client';
declare const console: { log(...values: unknown[]): void };
const satchel = createClient({ url: 'http://127.0.0.1:1', key: 'sak_1' });
const wallet: Promise<Wallet> = satchel.getWallet({ key: 'wal_1' });
const type: ErrorType = 'insufficient_balance';
wallet.catch(() => console.log(type, typeof items, typeof pages, typeof waitForPayment));
`;

it('packs the client, installs it into an empty project, type-checks it and runs it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-client-'));
  try {
    const packed = await run('npm', ['pack', join(ROOT, 'client'), '--json', '--pack-destination', folder], { cwd: folder });
    const [{ filename, files }] = JSON.parse(packed.stdout);
    expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([
      'LICENSE',
      'README.md',
      'event-parser.d.ts',
      'event-parser.js',
      'events.js',
      'operations.d.ts',
      'operations.js',
      'package.json',
      'response.js',
      'satchel.d.ts',
      'satchel.js',
      'webhooks.js',
    ]);
    await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: folder });
    await writeFile(join(folder, 'program.ts'), PROGRAM);
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023'];
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, '--types', '', 'program.ts'], { cwd: folder });
    expect((await run(process.execPath, ['program.ts'], { cwd: folder })).stdout.trim()).toBe(
      'insufficient_balance function function function',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
