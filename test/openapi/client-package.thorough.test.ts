import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const PROGRAM = `import { createClient, ConnectionError, type ErrorType, type Event, type Wallet } from 'satchel-client';
declare const console: { log(...values: unknown[]): void };
const satchel = createClient({ url: 'http://127.0.0.1:1', key: 'sak_1', timeoutMs: 1000, maxRetries: 0 });
const wallet: Promise<Wallet> = satchel.wallets.get('wal_1');
const type: ErrorType = 'insufficient_balance';
export async function total(): Promise<number> {
  let sum = 0;
  for await (const { balance } of satchel.wallets.list()) sum += balance;
  for await (const page of satchel.wallets.list({ fields: 'id' }).pages()) sum += page.length;
  return sum + (await satchel.wallets.list()).length;
}
export function describe(event: Event): string | number {
  switch (event.type) {
    case 'wallet_receive':
      return event.data.wtx.num_satoshis;
    case 'wallet_send_failure':
      return event.data.failureReason;
    case 'invoice_expired':
      // @ts-expect-error an invoice that expired has no transaction
      return event.data.lnTx.payment_request + event.data.wtx.id;
    default:
      return event.data.wal?.id ?? event.id;
  }
}
export async function wait(): Promise<string> {
  // @ts-expect-error the path names the wallet
  satchel.wallets.withdraw({ payment_request: 'lnbc' });
  return (await satchel.lightningTransactions.wait('lntx_1', { timeoutSeconds: 1 })).status;
}
wallet.catch((error) => console.log(type, error instanceof ConnectionError));
`;

it('packs the client, installs it into an empty project, type-checks it with and without the types of Node and of browsers, and runs it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-client-'));
  try {
    const packed = await run('npm', ['pack', join(ROOT, 'client'), '--json', '--pack-destination', folder], { cwd: folder });
    const [{ filename, files }] = JSON.parse(packed.stdout);
    expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([
      'LICENSE',
      'README.md',
      'errors.js',
      'event-parser.d.ts',
      'event-parser.js',
      'events.js',
      'lists.js',
      'operations.d.ts',
      'operations.js',
      'package.json',
      'requests.js',
      'response.js',
      'satchel.d.ts',
      'satchel.js',
      'waiting.js',
      'webhooks.js',
    ]);
    await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: folder });
    await writeFile(join(folder, 'program.ts'), PROGRAM);
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'nodenext'];
    const check = (...more: string[]) => run(process.execPath, [TSC, ...options, ...more, 'program.ts'], { cwd: folder });
    await check('--lib', 'es2022', '--types', '');
    await check('--lib', 'es2022', '--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'));
    await check('--lib', 'es2022,dom,dom.iterable', '--types', '');
    expect((await run(process.execPath, ['program.ts'], { cwd: folder })).stdout.trim()).toBe('insufficient_balance true');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
