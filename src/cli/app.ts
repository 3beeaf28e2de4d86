import type { Command } from 'commander';
import type { Connection } from '../../client/satchel.js';
import { listAction, type ServiceCall, serviceAction, withKey } from './service.ts';
import { grouped, moment } from './table.ts';
import { confirm, EXIT, idParser, NotDone, noun, verb, withConfirmation } from './verb.ts';

const PERIODS = ['day', 'week', 'month', 'ever'];

/** `satchel app`: the apps that use a wallet over Nostr Wallet Connect. */
export function addApp(program: Command): void {
  const app = noun(program, 'app', 'Connect wallet apps, list and disconnect them', 'app connect wal_… --label phone --budget 50000/month');
  addList(app);
  addConnect(app);
  addDisconnect(app);
}

function ofWallet(command: Command): Command {
  return withKey(command).argument('<wallet>', 'the id of the wallet', idParser('wal'));
}

function addList(app: Command): void {
  ofWallet(verb(app, { name: 'list', summary: 'List the apps of a wallet, newest first', example: 'app list wal_…' })).action(
    listAction(
      ({ service, args: [wallet = ''] }: ServiceCall<object>) => service.connections.list(wallet, { 'per-page': 100 }),
      COLUMNS,
      'No app is connected to the wallet.',
    ),
  );
}

const COLUMNS = [
  { name: 'id', text: ({ id }: Connection) => id },
  { name: 'status', text: ({ status }: Connection) => status },
  { name: 'connected', text: ({ created_at }: Connection) => moment(created_at) },
  { name: 'last used', text: ({ last_used_at }: Connection) => (last_used_at === null ? '' : moment(last_used_at)) },
  { name: 'budget', text: budgetText },
  { name: 'label', text: ({ user_label }: Connection) => user_label },
];

function budgetText({ budget_msat, budget_period, budget_spent_msat, budget_pending_msat }: Connection): string {
  if (budget_msat === null) return 'none';
  return `${grouped((budget_spent_msat ?? 0) + (budget_pending_msat ?? 0))} of ${grouped(budget_msat)} msat a ${budget_period}`;
}

interface NewAppOptions {
  readonly label?: string;
  readonly budget?: { readonly budget_msat: number; readonly budget_period: 'day' | 'week' | 'month' | 'ever' };
  readonly readOnly?: boolean;
}

function addConnect(app: Command): void {
  const connect = verb(app, {
    name: 'connect',
    summary: 'Connect an app, and print its link once',
    details: 'The link contains the secret of the app. It goes to standard output, the rest to standard error.',
    example: 'app connect wal_… --label phone --budget 50000/month',
  });
  ofWallet(connect)
    .option('--label <text>', 'a name for the app')
    .option('--budget <sat/period>', `what it may spend, such as 50000/month; the period is ${PERIODS.join(', ')}`, parseBudget)
    .option('--read-only', 'it may only read the balance and the history')
    .action(
      serviceAction<NewAppOptions>(async ({ service, output, options: { label, budget, readOnly }, args: [wallet = ''] }) => {
        const created = await service.connections.create(wallet, {
          ...(label !== undefined && { user_label: label }),
          ...(readOnly && { permissions: ['wallet_read', 'wallet_tx_read'] as const }),
          ...budget,
        });
        process.stderr.write(`A link for the app, shown this once; the id of the connection is ${created.id}.\n`);
        await output.print(created, created.uri);
        return EXIT.done;
      }),
    );
}

const MSAT_PER_SAT = 1000;

function parseBudget(given: string): NewAppOptions['budget'] {
  const [, sat = '', period = ''] = /^(\d{1,12})\/(day|week|month|ever)$/.exec(given) ?? [];
  if (Number(sat) === 0)
    throw new NotDone(`--budget must be satoshis and a period, such as 50000/month; the period is ${PERIODS.join(', ')}.`);
  return { budget_msat: Number(sat) * MSAT_PER_SAT, budget_period: period as 'day' | 'week' | 'month' | 'ever' };
}

function addDisconnect(app: Command): void {
  const disconnect = verb(app, { name: 'disconnect', summary: 'Disconnect an app', example: 'app disconnect wal_… nwc_…' });
  ofWallet(withConfirmation(disconnect))
    .argument('<connection>', 'the id of the connection', idParser('nwc'))
    .action(
      serviceAction<{ yes?: boolean }>(async ({ service, output, options, args: [wallet = '', id = ''] }) => {
        await confirm(`The app of ${id} can no longer use the wallet.`, options);
        await output.print(await service.connections.revoke(wallet, id), `Done: ${id} is disconnected.`);
        return EXIT.done;
      }),
    );
}
