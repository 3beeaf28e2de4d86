import type { Command } from 'commander';
import type { NodeFigures, SatchelClient } from '../../client/satchel.js';
import { addHolds } from './holds.ts';
import { listAction, runAction, serviceAction, withKey } from './service.ts';
import { grouped, table } from './table.ts';
import { action, type Call, EXIT, idParser, noun, verb, withReason } from './verb.ts';

const NODE = 'the id of the node';

/** `satchel node`: checks and lists the nodes, drains one, or moves a wallet to another node. */
export function addNode(program: Command): void {
  const node = noun(
    program,
    'node',
    'Check, list and drain Lightning nodes',
    'node check',
    'To add one, append its URL to LIGHTNING_URL of the service after a space, try it with `node check`, and restart the service.',
  );

  verb(node, {
    name: 'check',
    summary: 'Connect to each node of LIGHTNING_URL',
    details:
      'Prints what the node is, what it supports and what its credential permits, then creates and cancels an invoice of 1 sat. Changes ' +
      'nothing else. Lines with ! need a change. Try a new node with it before you add its URL to LIGHTNING_URL of the service.',
    example: 'node check',
  }).action(action(check));

  withKey(verb(node, { name: 'list', summary: 'List the nodes of the ledger', example: 'node list' })).action(
    listAction(({ service }) => nodesOf(service), COLUMNS, 'There is no node.'),
  );

  addState(
    verb(node, {
      name: 'drain',
      summary: 'Stop placing new wallets on a node',
      details: 'Its wallets stay and work as before.',
      example: 'node drain lnd_… --reason "closing its channels"',
    }),
    'drainNode',
  );
  addState(
    verb(node, {
      name: 'activate',
      summary: 'Give a drained node new wallets again',
      example: 'node activate lnd_… --reason "channels are open"',
    }),
    'activateNode',
  );
  addMove(node);
  addHolds(node);
}

function addState(command: Command, operation: 'drainNode' | 'activateNode'): void {
  withKey(withReason(command.argument('<node>', NODE, idParser('lnd')))).action(
    serviceAction<{ reason: string }>(({ service, output, options: { reason }, args: [id = ''] }) =>
      runAction(output, (request) => service.operator[operation](id, { reason }, request)),
    ),
  );
}

function addMove(node: Command): void {
  const move = verb(node, {
    name: 'move',
    summary: 'Move a wallet to another node',
    details: 'Refused while it has pending payments. Its open invoices can still be paid at the old node.',
    example: 'node move wal_… lnd_… --reason "node 1 is drained"',
  })
    .argument('<wallet>', 'the id of the wallet', idParser('wal'))
    .argument('<node>', NODE, idParser('lnd'));
  withKey(withReason(move)).action(
    serviceAction<{ reason: string }>(({ service, output, options: { reason }, args: [wallet = '', id = ''] }) =>
      runAction(output, (request) => service.operator.moveWallet(wallet, { ln_node_id: id, reason }, request)),
    ),
  );
}

async function check({ output }: Call<object>): Promise<number> {
  const { checkNodes } = await import('./node-check.ts');
  const nodes = await checkNodes();
  const texts = nodes.map(({ findings, reason }, index) => {
    const head = nodes.length > 1 ? `URL ${index + 1} of LIGHTNING_URL\n` : '';
    if (reason !== null) return `${head}The node was not checked: ${reason}`;
    return `${head}${table(findings.map(({ heading, text, isGood }) => [isGood ? '' : '!', heading, text]))}`;
  });
  await output.print(
    nodes.map(({ findings, reason }) => ({
      not_checked: reason,
      findings: findings.map(({ heading, text, isGood }) => ({ heading, text, is_good: isGood })),
    })),
    texts.join('\n\n'),
  );
  if (nodes.some(({ reason }) => reason !== null)) return EXIT.notDone;
  return nodes.every(({ findings }) => findings.every(({ isGood }) => isGood)) ? EXIT.done : EXIT.refused;
}

async function* nodesOf(service: SatchelClient): AsyncGenerator<NodeFigures> {
  yield* (await service.operator.getOverview()).nodes;
}

const COLUMNS = [
  { name: 'node', text: ({ id }: NodeFigures) => id },
  { name: 'state', text: ({ draining }: NodeFigures) => (draining ? 'draining' : 'active') },
  { name: 'wallets', isRight: true, text: ({ num_wallets }: NodeFigures) => grouped(num_wallets) },
  { name: 'public key', text: ({ pubkey }: NodeFigures) => pubkey ?? 'never reached' },
];
