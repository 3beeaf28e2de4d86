import type { Command } from 'commander';
import type { Wallet } from '../../client/satchel.js';
import { listAction, printAction, type ServiceCall, serviceAction, withKey } from './service.ts';
import { grouped, moment } from './table.ts';
import { EXIT, idParser, noun, verb } from './verb.ts';

const ID = 'the id of the wallet';
const OF_KEY = 'It acts on the account that owns the key (--key-file).';

/** `satchel wallet`: the wallets of the account whose key is used. */
export function addWallet(program: Command): void {
  const wallet = noun(program, 'wallet', 'Create, list and stop wallets of an account', 'wallet list');

  withKey(verb(wallet, { name: 'list', summary: 'List the wallets, newest first', details: OF_KEY, example: 'wallet list --label alma' }))
    .option('--label <text>', 'list only those whose label contains the text')
    .action(
      listAction(
        ({ service, options: { label } }: ServiceCall<{ label?: string }>) =>
          service.wallets.list({ 'per-page': 100, ...(label !== undefined && { label }) }),
        COLUMNS,
        'There is no wallet.',
      ),
    );

  withKey(verb(wallet, { name: 'show', summary: 'Show a wallet and its balance', details: OF_KEY, example: 'wallet show wal_…' }))
    .argument('<wallet>', ID, idParser('wal'))
    .action(printAction(({ service, args: [id = ''] }) => service.wallets.get(id), describe));

  withKey(verb(wallet, { name: 'create', summary: 'Create a wallet', details: OF_KEY, example: 'wallet create --label alma' }))
    .option('--label <text>', 'a name for the wallet')
    .action(
      serviceAction<{ label?: string }>(async ({ service, output, options: { label } }) => {
        const { id } = await service.wallets.create(label === undefined ? {} : { user_label: label });
        // The response also has the access keys, which `satchel key create` creates when they are needed.
        await output.print({ id }, id);
        return EXIT.done;
      }),
    );

  addStatus(wallet, 'stop', 'inactive', 'Let a wallet send no money');
  addStatus(wallet, 'start', 'active', 'Let a stopped wallet send money again');
}

function addStatus(wallet: Command, name: 'stop' | 'start', status: 'active' | 'inactive', summary: string): void {
  withKey(verb(wallet, { name, summary, details: OF_KEY, example: `wallet ${name} wal_…` }))
    .argument('<wallet>', ID, idParser('wal'))
    .action(
      printAction(
        ({ service, args: [id = ''] }) => service.wallets.update(id, { status }),
        (changed) => `Done: ${changed.id} is ${changed.status}.`,
      ),
    );
}

const COLUMNS = [
  { name: 'id', text: ({ id }: Wallet) => id },
  { name: 'msat', isRight: true, text: ({ balance_msat }: Wallet) => grouped(balance_msat) },
  { name: 'pending', isRight: true, text: ({ pending_msat }: Wallet) => grouped(pending_msat) },
  { name: 'status', text: ({ status }: Wallet) => status },
  { name: 'label', text: ({ user_label }: Wallet) => user_label },
];

function describe({ id, user_label, status, balance_msat, pending_msat, ln_node_id, created_at }: Wallet): string {
  const label = user_label === '' ? '' : ` “${user_label}”`;
  return `Wallet ${id}${label}: ${status}, created ${moment(created_at)}, at ${ln_node_id}.
Balance: ${grouped(balance_msat)} msat, and ${grouped(pending_msat)} msat held for pending payments.`;
}
