import type { Database } from '../core/db/database.ts';
import { listNodes } from '../features/operator/nodes.ts';
import { exitWithUsage, readArguments } from './command.ts';
import { EXIT, exitNotDone, readReason, requestAndWait, runCommand } from './operator-command.ts';
import { grouped, table } from './table.ts';

const USAGE = `npm run --silent node -- [list | drain <node> | activate <node> | move <wallet> <node>] [--reason "…"]

  list      lists the Lightning nodes of the ledger; also without arguments
  drain     gives a node (lnd_…) no new wallets; its wallets stay and work as before
  activate  ends that
  move      moves a wallet (wal_…) to another node. Refused while it has pending payments. Its open invoices can still be paid at the old node.
  --reason  1 to 500 characters, required for drain, activate and move
The running service executes the command, and records who requested it, when and why.
Exit code 0: done. 1: refused. 2: not done. 3: not ended yet.`;

/** `npm run node`: lists the nodes, drains one, or moves a wallet to another node. */
async function main(): Promise<void> {
  const { words, reason: given } = readArguments(USAGE, { reason: { type: 'string' } }, 3);
  const [verb, subject = '', target = ''] = words;
  if (verb === undefined || verb === 'list') {
    if (given !== undefined || words.length > 1) exitWithUsage(USAGE);
    return runCommand(list);
  }
  const isMove = verb === 'move';
  if (!(isMove || verb === 'drain' || verb === 'activate') || words.length !== (isMove ? 3 : 2)) exitWithUsage(USAGE);
  const reason = readReason(given);
  if (isMove && !/^wal_[0-9A-Za-z]+$/.test(subject)) exitNotDone('The wallet must be an id (wal_…), not a key.');
  if (!/^lnd_[0-9A-Za-z]+$/.test(isMove ? target : subject)) exitNotDone('The node must be an id (lnd_…). `npm run node` lists the nodes.');
  await runCommand((database) => requestAndWait(database, { kind: verb, subject, target, reason }));
}

async function list(database: Database): Promise<number> {
  const rows = (await listNodes(database)).map((one) => [one.id, one.pubkey ?? 'never reached', one.state, grouped(one.wallets)]);
  process.stdout.write(`${table([['node', 'public key', 'state', 'wallets'], ...rows], [3])}\n`);
  return EXIT.done;
}

await main();
