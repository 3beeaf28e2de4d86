import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';

const examples = join(import.meta.dirname, '..', '..', 'docs', 'examples');

const LANGUAGES = [
  { name: 'Python', command: 'python3', file: 'pay.py' },
  { name: 'JavaScript', command: process.execPath, file: 'pay.mjs' },
] as const;

const isInstalled = (command: string) => spawnSync(command, ['--version']).status === 0;

it('never advises clients to poll `settled`, which an expired invoice never changes', () => {
  const root = join(import.meta.dirname, '..', '..');
  const pages = ['README.md', 'client/README.md', ...readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`)];
  const misleading = pages.filter((name) => name.endsWith('.md') && /until `settled` is 1/.test(readFileSync(join(root, name), 'utf8')));
  expect(misleading).toEqual([]);
});

onFakeNode('the examples in docs/examples', (service) => {
  /** Runs an example on a new wallet. @returns its output, once `meanwhile` has paid or cancelled the wallet's own invoice. */
  async function run({ command, file }: (typeof LANGUAGES)[number], meanwhile: (wallet: TestWallet, invoice: Invoice) => Promise<unknown>) {
    const { client, net } = service;
    const wallet = await client.wallet(1000);
    const invoice: Invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
    const { paymentRequest: BILL } = net.outside.invoice({ amountMsat: 100_000 });
    const env = { PATH: process.env.PATH, URL: client.url, KEY: client.secretKey, WALLET: wallet.id, BILL, INVOICE: invoice.id };
    const child = spawn(command, [join(examples, file)], { env });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    const ended = once(child, 'close');
    // The example polls the invoice once its own payment has ended.
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(900);
    await meanwhile(wallet, invoice);
    const [code] = await ended;
    return { code, lines: printed.trim().split(/\r?\n/) };
  }

  for (const language of LANGUAGES) {
    it.skipIf(!isInstalled(language.command))(`${language.name}: pays once and waits until the invoice is paid`, async () => {
      const paid = await run(language, (_wallet, invoice) => service.net.outside.pay({ paymentRequest: invoice.payment_request }));
      expect(paid).toEqual({ code: 0, lines: ['bill settled', 'invoice settled'] });
    });

    it.skipIf(!isInstalled(language.command))(`${language.name}: stops waiting for an invoice that will never be paid`, async () => {
      const cancelled = await run(language, (_wallet, invoice) =>
        service.client.request('DELETE', `/v1/lntx/${invoice.id}`, { key: service.client.secretKey }),
      );
      expect(cancelled).toMatchObject({ code: 0, lines: ['bill settled', expect.stringMatching(/^invoice (cancelled|failed)$/)] });
    });
  }
});

interface Invoice {
  readonly id: string;
  readonly payment_request: string;
}
