import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { startService } from '../service-process.ts';
import { figureOf } from '../sides.ts';

const MB = 1_000_000;
const CONNECTIONS = 400;
const ITEMS = 160;
const SECONDS = 20;
const SECRET_KEY = `sak_${'b'.repeat(40)}`;
const LARGEST = { memo: 'm'.repeat(600), passThru: { text: 'p'.repeat(4000) } };

/** Memory with many connections that request the largest page and do not read the response. */
export function slowReaderRows(): Row[] {
  return DIALECTS.map((dialect) => ({
    name: `${DATABASE_NAMES[dialect]} memory with slow readers`,
    meaning: `peak resident memory while ${CONNECTIONS} connections of one key request pages of 2 MB and do not read them`,
    unit: 'MB',
    target: { goal: 350, floor: 400 },
    async measure(run) {
      await using temporary = await run.database(dialect);
      await temporary.database.close();
      return await measure(run, temporary.url);
    },
  }));
}

async function measure(run: Run, databaseUrl: string): Promise<readonly Figure[]> {
  const settings = { DATA_DIR: run.folder(), DATABASE_URL: databaseUrl, BOOTSTRAP_SECRET_KEY: SECRET_KEY };
  await using service = await startService(settings);
  const { port, url } = service;
  const walletId = await fillWallet(url);
  const path = `/v1/wallet/${walletId}/transactions?per-page=${ITEMS}`;
  const page = await fetch(url + path, { headers: { 'x-api-key': SECRET_KEY } });
  if ((await page.text()).length < 1.8 * MB) throw new Error('the page is too small');
  const sockets: Socket[] = [];
  try {
    for (let i = 0; i < CONNECTIONS; i++) sockets.push(openUnreadConnection(port, path));
    let most = 0;
    for (let second = 0; second < SECONDS; second++) {
      await delay(1000);
      most = Math.max(most, await residentBytes(url));
    }
    return [figureOf('resident', [most / MB])];
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Fills a wallet with one page of the largest items. @returns the wallet's id */
async function fillWallet(url: string): Promise<string> {
  async function post(path: string, body: object): Promise<Record<string, string>> {
    const headers = { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  }
  const [payer, payee] = [await post('/v1/wallet', {}), await post('/v1/wallet', {})];
  await post('/playground/fund', { wallet_id: payer.id, num_satoshis: 10_000 });
  for (let item = 0; item < ITEMS; item++) {
    const { payment_request } = await post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 1, ...LARGEST });
    await post(`/v1/wallet/${payer.id}/withdraw`, { payment_request, passThru: LARGEST.passThru });
  }
  return payer.id ?? '';
}

function openUnreadConnection(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${SECRET_KEY}\r\n\r\n`);
  return socket;
}

async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
}
