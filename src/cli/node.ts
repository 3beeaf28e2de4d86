import type { SatchelClient } from '../../client/satchel.js';
import { exitWithUsage, readArguments } from './command.ts';
import { printList, readReason, requireId, runAction, runOnService, WALLET_ID } from './service.ts';
import { grouped } from './table.ts';

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
  const [verb, id = '', target = ''] = words;
  if (verb === undefined || verb === 'list') {
    if (given !== undefined || words.length > 1) exitWithUsage(USAGE);
    return runOnService(list);
  }
  const isMove = verb === 'move';
  if (!(isMove || verb === 'drain' || verb === 'activate') || words.length !== (isMove ? 3 : 2)) exitWithUsage(USAGE);
  const reason = readReason(given);
  if (isMove) requireId('wal', id, WALLET_ID);
  requireId('lnd', isMove ? target : id, 'The node must be an id (lnd_…). `npm run node` lists the nodes.');
  await runAction((service, options) => {
    if (isMove) return service.operator.moveWallet(id, { ln_node_id: target, reason }, options);
    return verb === 'drain' ? service.operator.drainNode(id, { reason }, options) : service.operator.activateNode(id, { reason }, options);
  });
}

async function list(service: SatchelClient): Promise<number> {
  const { nodes } = await service.operator.getOverview();
  const rows = nodes.map(({ id, pubkey, draining, num_wallets: wallets }) => [
    id,
    pubkey ?? 'never reached',
    draining ? 'draining' : 'active',
    grouped(wallets),
  ]);
  return printList(['node', 'public key', 'state', 'wallets'], rows, [3], 'There is no node.');
}

await main();
