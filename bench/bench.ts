import { parseArgs } from 'node:util';
import { measureRows } from './measure-rows.ts';
import type { Row } from './row.ts';
import { appRows } from './rows/apps.ts';
import { backupRows } from './rows/backup.ts';
import { bulkTransferRows } from './rows/bulk-transfers.ts';
import { dashboardRows } from './rows/dashboard.ts';
import { dashboardAtScaleRows } from './rows/dashboard-at-scale.ts';
import { delayRows } from './rows/delays.ts';
import { engineRows } from './rows/engine.ts';
import { eventRows } from './rows/events.ts';
import { growthRows } from './rows/growth.ts';
import { invoicePaymentRows } from './rows/invoice-payments.ts';
import { layerRows } from './rows/layers.ts';
import { lightningRows } from './rows/lightning.ts';
import { lndRows } from './rows/lnd.ts';
import { memoryRows } from './rows/memory.ts';
import { memoryUnderLoadRows } from './rows/memory-under-load.ts';
import { pollerRows } from './rows/pollers.ts';
import { publicRequestRows } from './rows/public-requests.ts';
import { readRows } from './rows/reads.ts';
import { scaleRows } from './rows/scale.ts';
import { slowReaderRows } from './rows/slow-readers.ts';
import { tpcbRows } from './rows/tpcb.ts';
import { transferRows } from './rows/transfers.ts';
import { Run } from './run.ts';

/**
 * `npm run bench` prints tables. Options: `-- --json` prints JSON, `-- --only=<part of a name>` selects rows, `-- --quick` measures rough
 * figures with small sizes, `-- --large` uses a million wallets and five million transfers.
 */
const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

const ROWS: readonly Row[] = [
  ...transferRows(),
  ...bulkTransferRows(),
  ...invoicePaymentRows(),
  ...engineRows(),
  ...tpcbRows(),
  ...readRows(),
  ...delayRows(),
  ...pollerRows(),
  ...publicRequestRows(),
  ...layerRows(),
  ...growthRows(),
  ...appRows(),
  ...backupRows(),
  ...scaleRows(),
  ...memoryRows(),
  ...memoryUnderLoadRows(),
  ...slowReaderRows(),
  ...eventRows(),
  ...lightningRows(),
  ...lndRows(),
  ...dashboardRows(),
  ...dashboardAtScaleRows(),
];

await measureRows(new Run(options), ROWS, options);
