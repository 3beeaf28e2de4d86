import { join } from 'node:path';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import type { Run } from '../run.ts';
import { residentMb, startService } from '../service-process.ts';
import { figureOf } from '../sides.ts';
import { transferRequests } from '../transfer-route.ts';
import { webOn } from '../web.ts';

const CONNECTIONS = 64;

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
  const settings = { DATA_DIR: join(run.folder(), 'service'), DATABASE_URL: temporary.url, RATE_LIMIT_PER_SECOND: '0' };
  await using service = await startService(settings);
  const total = run.sizes.transfersUnderLoad;
  await load({ port: service.port, requests: transferRequests(web), connections: CONNECTIONS, seconds: 3600, total });
  return [figureOf('resident', [await residentMb(service.pid)])];
}
