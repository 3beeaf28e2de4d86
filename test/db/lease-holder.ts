import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { Instances } from '../../src/core/db/instances.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { silentLog } from '../support/ledger.ts';

/** A process that holds a lease and can be paused: `node lease-holder.ts <database url> <lease> <timing as JSON>`. */
const [url = '', lease = '', timing = ''] = process.argv.slice(2);
const database = await openDatabase(url, { log: silentLog });
const instances = new Instances({ database, clock: systemClock, log: silentLog, timing: JSON.parse(timing) });
await instances.start();
await instances.underLease(lease, new AbortController().signal, async (signal) => {
  writeSync(1, 'works\n');
  if (!signal.aborted) await once(signal, 'abort');
  writeSync(1, 'stops\n');
});
