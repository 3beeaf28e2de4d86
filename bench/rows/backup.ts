import { join } from 'node:path';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import { backupProcess } from '../../src/features/backup/schedule.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare, perSecond } from '../sides.ts';
import { postRequest } from '../web.ts';

const CONNECTIONS = 64;
/** With few wallets, each row of a balance would have hundreds of versions that the snapshot of a backup keeps. */
const WALLETS = 2000;
const AT_ONCE = 16;
const FUNDS_SAT = 10_000;
const OFFERED_PER_SECOND = 5_000;
const SECRET_KEY = `sak_${'b'.repeat(30)}`;
const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'cli', 'satchel.ts');

/** The speed of a service while a backup is written and checked in another process. */
export function backupRows(): Row[] {
  return DIALECTS.flatMap((dialect) => [
    {
      name: `${DATABASE_NAMES[dialect]} transfers during a backup`,
      meaning: `speed while backups are written and checked one after the other ÷ without, ${CONNECTIONS} connections`,
      unit: 'transfers/s',
      target: { goal: 0.85, floor: 0.6 },
      measure: (run: Run) => duringBackups(run, dialect),
    },
    {
      name: `${DATABASE_NAMES[dialect]} ${OFFERED_PER_SECOND} transfers per second during a backup`,
      meaning: `the same with ${OFFERED_PER_SECOND} requests per second`,
      unit: 'transfers/s',
      target: { goal: 0.85, floor: 0.6 },
      measure: (run: Run) => duringBackups(run, dialect, OFFERED_PER_SECOND),
    },
  ]);
}

async function duringBackups(run: Run, dialect: Dialect, requestsPerSecond?: number): Promise<readonly Figure[]> {
  await using temporary = await run.database(dialect);
  // The service needs exclusive access to the SQLite file.
  await temporary.database.close();
  const folder = run.folder();
  const settings = { DATA_DIR: folder, DATABASE_URL: temporary.url, BACKUP_DIR: folder, LIGHTNING_URL: 'fake:', LOG_LEVEL: 'silent' };
  const limits = {
    BOOTSTRAP_SECRET_KEY: SECRET_KEY,
    BACKUP_INTERVAL_SECONDS: '0',
    RATE_LIMIT_PER_SECOND: '0',
    PROOF_INTERVAL_SECONDS: '0',
  };
  const satchel = await startSatchel(readConfig({ ...settings, ...limits }));
  try {
    const url = await satchel.server.listen({ host: '127.0.0.1', port: 0 });
    const requests = await transfers(url);
    const send = (total?: number) =>
      load({
        port: Number(new URL(url).port),
        connections: CONNECTIONS,
        requests,
        seconds: run.sizes.seconds * 4,
        // The transfers before the measurement are not paced.
        ...(total ? { total } : requestsPerSecond && { requestsPerSecond }),
      });
    const backUp = backupProcess(PROGRAM, { ...process.env, ...settings });
    run.progress('filling');
    await send(run.sizes.transfers);
    const during = async () => {
      let isMeasuring = true;
      const backups = async () => {
        // The last one is not interrupted: its process would still run in the next round, and hold the lock of the folder.
        while (isMeasuring) await backUp(new AbortController().signal);
      };
      const measure = () =>
        send().finally(() => {
          isMeasuring = false;
        });
      const [sent, backedUp] = await Promise.allSettled([measure(), backups()]);
      // After both have ended: the database of a running backup cannot be deleted.
      for (const one of [backedUp, sent]) if (one.status === 'rejected') throw one.reason;
      return (sent as PromiseFulfilledResult<{ perSecond: number }>).value.perSecond;
    };
    return await compare(run, { name: 'during backups', round: during }, { name: 'without', round: async () => (await send()).perSecond });
  } finally {
    await satchel.close();
  }
}

/** Creates funded wallets. @returns requests that transfer 1 sat between them */
async function transfers(url: string): Promise<string[]> {
  const headers = { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  const ids: string[] = [];
  await perSecond(WALLETS, AT_ONCE, async (index) => {
    const { id } = await post('/v1/wallet', { user_label: '' });
    await post('/playground/fund', { wallet_id: id, num_satoshis: FUNDS_SAT });
    ids[index] = id;
  });
  return ids.map((id, i) =>
    postRequest(`/v1/wallet/${id}/transfer`, SECRET_KEY, { dest_wallet_id: ids[(i + 1) % WALLETS], num_satoshis: 1 }),
  );
}
