import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseCsvLines } from '../../src/http/requests/csv-lines.ts';
import { parseCsv } from '../../web/src/screens/payouts/parse-csv.ts';
import { onFakeNode } from '../support/app.ts';
import cases from './cases/big-integers.json' with { type: 'json' };

const caseFile = (name: string) => readFileSync(join(import.meta.dirname, 'cases', name), 'utf8');

const SEMICOLONS = caseFile('payouts-semicolon.csv');
const SALARIES = [
  { destination: 'alma@example.com', num_satoshis: 500, memo: 'Gehalt' },
  { destination: 'bruno@example.com', num_satoshis: 700, memo: 'Löhne; März' },
];
const asTexts = (lines: readonly { num_satoshis: number }[]) => lines.map((line) => ({ ...line, num_satoshis: String(line.num_satoshis) }));

onFakeNode('a file of a spreadsheet', ({ client }) => {
  it.each([
    ['semicolons', SEMICOLONS],
    ['semicolons and a byte order mark', `\uFEFF${SEMICOLONS}`],
    ['tabs', SEMICOLONS.replace(/;(?! )/g, '\t')],
    ['quoted names', SEMICOLONS.replace('destination', '"destination"').replaceAll('\n', '\r\n')],
  ])('is read by the service and the dashboard with %s', (_, text) => {
    expect(parseCsvLines(text)).toEqual(asTexts(SALARIES));
    expect(parseCsv(text)).toMatchObject({ lines: SALARIES, problems: [] });
  });

  it('is read without its empty columns and rows', async () => {
    const [wallet, other] = [await client.wallet(100), await client.wallet()];
    const text = caseFile('payouts-excel-blank.csv').replace('wal_x', other.id);
    const line = { destination: other.id, num_satoshis: 5, memo: 'wages' };
    expect(parseCsvLines(`${text}\r\n;\n,,\n`.replace(';', ''))).toEqual(asTexts([line]));
    expect(parseCsv(text)).toMatchObject({ lines: [line], problems: [] });
    expect(() => parseCsvLines(`${text}a,1,b,c\n`)).toThrow('Row 4 of the CSV must have at most 3 cells');
    const response = await fetch(`${client.url}/v1/wallet/${wallet.id}/payouts`, {
      method: 'POST',
      headers: { 'x-api-key': client.secretKey, 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
      body: text,
    });
    expect([response.status, ((await response.json()) as { num_lines: number }).num_lines]).toEqual([201, 1]);
  });

  it('opens in Excel as UTF-8 when the service exports it', async () => {
    const wallet = await client.wallet(100);
    const headers = { 'x-api-key': client.secretKey };
    for (const path of [`/v1/wallet/${wallet.id}/statement`, '/v1/wallet-transactions/export', '/v1/contacts?format=csv']) {
      const response = await fetch(`${client.url}${path}`, { headers: { ...headers, accept: 'text/csv' } });
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'text/csv; charset=utf-8']);
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect([path, ...bytes.slice(0, 3)]).toEqual([path, 0xef, 0xbb, 0xbf]);
    }
  });
});

onFakeNode('a number that JavaScript would change', ({ client }) => {
  const order = async (body: string) => {
    const wallet = await client.wallet();
    const headers = { 'x-api-key': client.secretKey, 'content-type': 'application/json' };
    const response = await fetch(`${client.url}/v1/wallet/${wallet.id}/invoice`, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  };

  it.each(cases.refused)('is rejected with its field: %s', async (body = '', field = '') => {
    const message = expect.stringMatching(new RegExp(`^${field.replaceAll(/[.[\]]/g, '\\$&')} .*Send it as text`));
    expect(await order(body)).toMatchObject({ status: 400, body: { type: 'validation_failed', message } });
  });

  it.each(cases.accepted)(
    'is none that has the same value or is text: %j',
    async ({ body, passThru }: { body: string; passThru: object }) => {
      expect(await order(body)).toMatchObject({ status: 201, body: { passThru } });
    },
  );

  it('is left to the rule of its field elsewhere', async () => {
    const { status, body } = await order('{"num_satoshis":12345678901234567890}');
    expect([status, (body as { message: string }).message]).toEqual([400, expect.stringContaining('`num_satoshis` must be')]);
  });
});
