import type { Command } from 'commander';
import type { Epoch } from '../../client/satchel.js';
import { listAction, printAction, type ServiceCall, withKey } from './service.ts';
import { grouped, moment } from './table.ts';
import { idParser, NotDone, noun, verb } from './verb.ts';

/** `satchel proof`: the proofs of liabilities. */
export function addProof(program: Command): void {
  const proof = noun(program, 'proof', 'Read the proofs of liabilities', 'proof show');

  withKey(verb(proof, { name: 'list', summary: 'List the proofs, newest first', example: 'proof list' })).action(
    listAction(({ service }) => service.proofs.listEpochs({ 'per-page': 100 }), COLUMNS, 'There is no proof yet.'),
  );

  withKey(verb(proof, { name: 'show', summary: 'Show a proof: its root and the sum of all balances', example: 'proof show 17' }))
    .argument('[epoch]', 'the number of the proof; the last one by default', parseEpoch)
    .action(
      printAction(
        ({ service, args: [epoch] }) => (epoch === undefined ? service.proofs.getLastEpoch() : service.proofs.getEpoch(epoch)),
        describe,
      ),
    );

  withKey(
    verb(proof, {
      name: 'wallet',
      summary: 'Print the proof that a wallet is included, as JSON',
      details: 'The wallet is one of the account of the key. docs/proof-of-liabilities.md tells how its owner checks it.',
      example: 'proof wallet wal_… > proof.json',
    }),
  )
    .argument('<wallet>', 'the id of the wallet', idParser('wal'))
    .option('--epoch <number>', 'the number of the proof; the last one by default', parseEpoch)
    .action(
      printAction(
        ({ service, options: { epoch }, args: [id = ''] }: ServiceCall<{ epoch?: string }>) =>
          service.wallets.getProof(id, epoch === undefined ? {} : { epoch: Number(epoch) }),
        (found) => JSON.stringify(found, null, 2),
      ),
    );
}

const COLUMNS = [
  { name: 'epoch', isRight: true, text: ({ epoch }: Epoch) => String(epoch) },
  { name: 'created', text: ({ created_at }: Epoch) => moment(created_at) },
  { name: 'wallets', isRight: true, text: ({ leaves }: Epoch) => grouped(leaves) },
  { name: 'msat', isRight: true, text: ({ total_msat }: Epoch) => grouped(total_msat) },
  { name: 'root', text: ({ root }: Epoch) => root },
];

function describe({ epoch, created_at, leaves, total_msat, root, previous_root }: Epoch): string {
  return `Proof ${epoch} of ${moment(created_at)}: ${grouped(total_msat)} msat in ${grouped(leaves)} wallets.
Root:   ${root}
Before: ${previous_root}`;
}

function parseEpoch(text: string): string {
  if (/^[1-9]\d{0,14}$/.test(text)) return text;
  throw new NotDone('The number of a proof must be a whole number from 1. `satchel proof list` lists the proofs.');
}
