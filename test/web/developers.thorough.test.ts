import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type Language, PLACEHOLDERS, SNIPPET_NAMES, type SnippetName } from '../../web/src/screens/developers/snippets.ts';
import { onDashboard } from '../support/dashboard.ts';

const CLIENT = pathToFileURL(join(import.meta.dirname, '..', '..', 'client', 'satchel.js')).href;
const LANGUAGES: readonly { language: Language; label: string; command: string; file: string; receive?: string }[] = [
  { language: 'curl', label: 'curl', command: 'bash', file: 'run.sh' },
  {
    language: 'javascript',
    label: 'JavaScript',
    command: process.execPath,
    file: 'run.mjs',
    receive: 'await receive(process.env.BODY, JSON.parse(process.env.HEADERS));',
  },
  {
    language: 'python',
    label: 'Python',
    command: 'python3',
    file: 'run.py',
    receive: `import os
assert is_valid(os.environ['BODY'].encode(), json.loads(os.environ['HEADERS']))
assert not is_valid(b'{}', json.loads(os.environ['HEADERS']))
print('evt_1')`,
  },
];
const isInstalled = (command: string) => spawnSync(command, ['--version']).status === 0;

onDashboard('the page for developers', ({ client, net, openLoggedIn }) => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-developers-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function receive(wallet: string): Promise<void> {
    const { payment_request } = await client.post(`/v1/wallet/${wallet}/invoice`, { num_satoshis: 1 });
    await client.post('/playground/pay', { payment_request });
  }

  for (const { language, label, command, file, receive: call = '' } of LANGUAGES)
    it.skipIf(!isInstalled(command))(`shows programs that work: ${label}`, async () => {
      const wallet = await client.wallet(5000);
      const page = await openLoggedIn(`/developers?wallet=${wallet.id}`);
      await page.getByRole('button', { name: label, exact: true }).click();
      await expect.poll(() => new URL(page.url()).searchParams.get('language')).toBe(language);
      await expect.poll(() => page.locator('.snippet > pre').first().textContent()).toContain(wallet.id);
      const codes = await page.locator('.snippet > pre').allTextContents();
      expect(codes).toHaveLength(SNIPPET_NAMES.length);

      /** Runs a snippet below the first. Returns the output as soon as it contains `until`. */
      function run(name: SnippetName, until: string, values: Partial<typeof PLACEHOLDERS> = {}, tail = '', env = {}) {
        const parts = [codes[0], codes[SNIPPET_NAMES.indexOf(name)], tail];
        let program = parts.join('\n').replace("'satchel-client'", `'${CLIENT}'`);
        for (const place of Object.keys(PLACEHOLDERS) as (keyof typeof PLACEHOLDERS)[])
          program = program.replaceAll(PLACEHOLDERS[place], { key: client.secretKey, ...values }[place] ?? PLACEHOLDERS[place]);
        writeFileSync(join(folder, `${name}-${file}`), program);
        return outputUntil(until, spawn(command, [join(folder, `${name}-${file}`)], { env: { PATH: process.env.PATH, ...env } }));
      }

      await run('balance', '5000');
      const [invoiceId = ''] = /lntx_\w+/.exec(await run('invoice', 'lnbc')) ?? [];
      const invoice = await client.get(`/v1/lntx/${invoiceId}`);
      expect(invoice).toMatchObject({ num_satoshis: 1000, memo: 'Order 17', status: 'open' });
      const waited = run('wait', 'settled', { invoiceId });
      await client.post('/playground/pay', { payment_request: invoice.payment_request });
      await waited;

      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
      await run('pay', 'settled', { invoice: paymentRequest });
      // The key stays the same, so a repetition pays nothing.
      await run('pay', 'settled', { invoice: paymentRequest });
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(5900);

      let hasEvent = false;
      const live = run('events', 'wallet_receive').finally(() => (hasEvent = true));
      while (!hasEvent) await Promise.race([live, receive(wallet.id)]);
      await live;

      if (language === 'curl') return void (await run('webhook', 'whsec_'));
      const { body, headers, secret } = delivery();
      await run('webhook', 'evt_1', { secret }, call, { BODY: body, HEADERS: JSON.stringify(headers) });
    });

  it('copies a program as it is shown', async () => {
    const page = await openLoggedIn('/developers', { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    await page.getByRole('button', { name: 'Copy: Read the balance' }).click();
    await page.getByText('Copied').first().waitFor();
    const shown = await page.locator('.snippet > pre').nth(1).textContent();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(shown);
  });
});

/** A delivery of a webhook, signed as in Standard Webhooks. */
function delivery() {
  const key = Buffer.alloc(24, 7);
  const body = JSON.stringify({ id: 'evt_1', event: { name: 'wallet_receive' } });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { body, headers, secret: `whsec_${key.toString('base64')}` };
}

/** Ends the program as soon as its output contains `until`. */
function outputUntil(until: string, child: ChildProcessWithoutNullStreams): Promise<string> {
  let [output, errors] = ['', ''];
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (text) => (errors += text));
    child.stdout.on('data', (text) => {
      output += text;
      if (!output.includes(until)) return;
      resolve(output);
      child.kill();
    });
    child.on('close', () => reject(new Error(`The output has no ${until}:\n${output}\n${errors}`)));
  });
}
