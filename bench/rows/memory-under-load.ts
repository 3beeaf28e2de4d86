import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../test/support/free-port.ts';
import { figureOf } from '../compare.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import type { Run } from '../run.ts';
import { transferRequests } from '../transfer-route.ts';
import { webOn } from '../web.ts';

const CONNECTIONS = 64;
const MB = 1_000_000;
const execute = promisify(execFile);

/** The resident memory of the service, in a separate process, after a long load. */
export function memoryUnderLoadRows(): Row[] {
  return [
    {
      name: 'memory after a million transfers',
      meaning: 'resident memory of the service on SQLite with the fake node, after transfers over 64 connections (100,000 with --quick)',
      unit: 'MB',
      target: { goal: 300, floor: 400 },
      measure: afterTransfers,
    },
  ];
}

async function afterTransfers(run: Run): Promise<readonly Figure[]> {
  await using temporary = await run.database('sqlite');
  const web = await webOn(temporary.database);
  await temporary.database.close();
  const port = await freePort();
  const own = { DATA_DIR: join(run.folder(), 'service'), DATABASE_URL: temporary.url, PORT: String(port), LIGHTNING_URL: 'fake:' };
  const env = { ...process.env, ...own, LOG_LEVEL: 'silent', RATE_LIMIT_PER_SECOND: '0', PROOF_INTERVAL_SECONDS: '0' };
  const root = join(import.meta.dirname, '..', '..');
  const service = spawn(process.execPath, [...startFlags(root), 'src/main.ts'], { cwd: root, env });
  try {
    // The service prints its greeting when it listens.
    await once(service.stdout, 'data');
    service.stdout.resume();
    const total = run.sizes.transfersUnderLoad;
    await load({ port, requests: transferRequests(web), connections: CONNECTIONS, seconds: 3600, total });
    const { stdout } = await execute('ps', ['-o', 'rss=', '-p', String(service.pid)]);
    return [figureOf('resident', [(Number(stdout) * 1024) / MB])];
  } finally {
    service.kill('SIGKILL');
    await once(service, 'exit');
  }
}

/** Returns the Node flags of `npm start`. */
function startFlags(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
