import { writeSync } from 'node:fs';
import type { Database, Tx } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { errorMessage } from '../../src/core/kernel/log.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { amount, silentLog } from '../support/ledger.ts';

/**
 * An instance that stops itself (SIGSTOP) in the middle of its first batch, right after one of the batch's statements:
 * `node paused-instance.ts <database url> <statement> <transfer id> <from> <to> <msat>`. It prints `stopped`, and the outcome when it is
 * resumed.
 */
const [url = '', stopAfter, id = '', from, to, msat] = process.argv.slice(2);
let hasStopped = false;

function stop(): void {
  if (hasStopped) return;
  hasStopped = true;
  writeSync(1, 'stopped\n');
  process.kill(process.pid, 'SIGSTOP');
}

function stoppingTx(tx: Tx): Tx {
  return {
    ...tx,
    async all(statement, ...parameters) {
      const rows = await tx.all(statement, ...parameters);
      if (statement.name === stopAfter) stop();
      return rows;
    },
    async send(statement, ...parameters) {
      await tx.send(statement, ...parameters);
      if (statement.name === stopAfter) stop();
    },
  };
}

const database = await openDatabase(url, { log: silentLog });
const stopping: Database = { ...database, transaction: (work) => database.transaction((tx) => work(stoppingTx(tx))) };
const ledger = createLedger(stopping, systemClock);
const order = { id, from: Number(from), to: Number(to), amountMsat: amount(Number(msat)) };
const outcome = await ledger.post({ transfers: [order] }).then(
  () => 'posted',
  (error: unknown) => `refused: ${errorMessage(error)}`,
);
writeSync(1, `${outcome}\n`);
await database.close();
