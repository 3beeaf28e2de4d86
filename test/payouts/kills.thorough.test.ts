import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { hangUp, METADATA_HASH, RemoteService } from '../lnurl/payee.ts';
import { drawsOf } from '../restore/lossy-load.ts';
import type { Client, Json } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';

/** `PAYOUT_KILLS=30` kills more often. A failure names its seed, for `PAYOUT_SEED`. */
const KILLS = Number(process.env.PAYOUT_KILLS ?? 5);
const SEED = Number(process.env.PAYOUT_SEED ?? Date.now() % 1_000_000);
const LINES = 60;
const FUNDED_SAT = 1_000_000;
const HANGS = { timeout: 120_000, interval: 20 };
/** How payments behave on the fake node. */
const MEMOS = ['', 'fee=3', 'delay=0.3', 'fail=NO_ROUTE', 'lose-answer', 'delay=0.1 fee=2'];

async function receivedOutside(client: Client): Promise<Json[]> {
  const all: Json[] = [];
  for (let after = 0; ; after = all.at(-1).id) {
    const { payments } = await client.get(`/playground/payments?after=${after}`);
    if (payments.length === 0) return all.filter(({ direction }) => direction === 'received');
    all.push(...payments);
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`a payout of a service that is killed (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const folder = mkdtempSync(join(tmpdir(), 'satchel-payout-'));
    const payee = RemoteService.ofSuite();
    const running: { service?: ServiceProcess } = {};
    afterAll(async () => {
      await running.service?.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    it(
      `pays each line exactly once (PAYOUT_SEED=${SEED})`,
      async () => {
        const draw = drawsOf(SEED);
        const settings = {
          ...(await processSettings(folder, await urls())),
          LIGHTNING_URL: 'fake:?seed=1',
          OUTBOUND_ALLOW: '127.0.0.1',
        };
        let service = await startProcess(settings);
        running.service = service;
        const client = () => service.client;
        payee.parameters = () => payee.payParameters({ maxSendable: 50_000_000 });
        payee.callback = async (query) => {
          const body = { num_satoshis: Number(query.get('amount')) / 1000, description_hash: METADATA_HASH };
          for (let tries = 0; tries < 20; tries += 1) {
            const made = await client()
              .post('/playground/invoice', body)
              .catch(() => undefined);
            if (made) return { pr: made.payment_request };
            // The connection was to the process that was killed.
            await delay(50);
          }
          return hangUp();
        };
        const [wallet, friend] = [await client().wallet(FUNDED_SAT), await client().wallet()];
        const kinds: string[] = [];
        const lines: Json[] = [];
        for (let index = 0; index < LINES; index += 1) {
          // Each amount names its line.
          const num_satoshis = 100 + index;
          const kind = ['invoice', 'invoice', 'link', 'link', 'wallet', 'own'][draw(6)] ?? '';
          kinds.push(kind);
          if (kind === 'link') lines.push({ destination: payee.address, num_satoshis });
          else if (kind === 'wallet') lines.push({ destination: friend.id, num_satoshis });
          else {
            const memo = MEMOS[draw(MEMOS.length)];
            const made =
              kind === 'own'
                ? await client().post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis })
                : await client().post('/playground/invoice', { num_satoshis, memo });
            lines.push({ destination: made.payment_request });
          }
        }
        const path = `/v1/wallet/${wallet.id}/payouts`;
        const { id } = await client().post(path, { lines });
        const read = (): Promise<Json> => client().get(`${path}/${id}?per-page=100`);
        let unfinished = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          const goal = draw(Math.ceil((LINES * (kill + 1)) / KILLS));
          await expect.poll(async () => LINES - (await read()).num_pending, { ...HANGS, interval: 1 }).toBeGreaterThanOrEqual(goal);
          await delay(draw(20));
          if ((await read()).status === 'running') unfinished += 1;
          await service.kill();
          service = await startProcess(settings);
          running.service = service;
        }
        await expect.poll(async () => (await read()).status, HANGS).toBe('finished');
        const done = await read();
        const paid: Json[] = done.lines.filter(({ status }: Json) => status === 'paid');
        const failed: Json[] = done.lines.filter(({ status }: Json) => status === 'failed');
        expect(paid.length + failed.length).toBe(LINES);

        // What the outside nodes received is what the lines paid: each amount once.
        const received = (await receivedOutside(client())).filter(({ state }) => state === 'succeeded');
        const isOutside = ({ line }: Json) => kinds[line] === 'invoice' || kinds[line] === 'link';
        const amounts = (rows: Json[]) => rows.map(({ num_msat, amount_msat }) => num_msat ?? amount_msat).sort();
        expect(amounts(received)).toEqual(amounts(paid.filter(isOutside)));
        const msatOf = (rows: Json[]) => rows.reduce((sum, { num_msat, fee_msat }) => sum + num_msat + (fee_msat ?? 0), 0);
        expect((await client().get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(FUNDED_SAT * 1000 - msatOf(paid));
        expect((await client().get(`/v1/wallet/${friend.id}`)).balance_msat).toBe(msatOf(paid.filter((line) => !isOutside(line))));
        // Only the payments that the node fails.
        expect(failed.filter(({ failure_reason }) => failure_reason !== 'NO_ROUTE')).toEqual([]);
        const events: Json[] = await client().get(`/v1/wallet/${wallet.id}/events?type=payout_finished`);
        expect(events.map(({ data }) => data.payout.num_paid)).toEqual([paid.length]);
        expect(unfinished, 'the payout was killed while it was running').toBeGreaterThan(0);
        expect(await service.stop()).toBe(0);
        expect((await runVerify(settings)).code).toBe(0);
        if (process.env.PAYOUT_KILLS !== undefined)
          process.stdout.write(
            `payout kills, ${dialect}: ${JSON.stringify({ kills: KILLS, unfinished, paid: paid.length, failed: failed.length })}\n`,
          );
      },
      240_000 + KILLS * 30_000,
    );
  });
}
