import { type Command, InvalidArgumentError } from 'commander';
import type { Account, OperatorAction } from '../../client/satchel.js';
import type { AccountStatus } from '../core/accounts/account-states.ts';
import { listAction, printAction, type ServiceCall, serviceAction, withKey } from './service.ts';
import { moment } from './table.ts';
import { EXIT, idParser, noun, verb, withReason } from './verb.ts';

const ID = 'the id of the account';

interface NewAccountOptions {
  readonly email?: string;
  readonly operator?: boolean;
  readonly maxWallets?: number;
  readonly invite?: boolean;
  readonly reason: string;
}

/** `satchel account`: the accounts of customers and operators. */
export function addAccount(program: Command): void {
  const account = noun(program, 'account', 'Create, list and freeze accounts', 'account list');

  withKey(verb(account, { name: 'list', summary: 'List the accounts, newest first', example: 'account list' })).action(
    listAction(({ service }) => service.accounts.list({ 'per-page': 100 }), COLUMNS, 'There is no account.'),
  );

  withKey(verb(account, { name: 'show', summary: 'Show an account', example: 'account show acc_…' }))
    .argument('<account>', ID, idParser('acc'))
    .action(printAction(({ service, args: [id = ''] }) => service.accounts.get(id), describe));

  addLog(account);
  addCreate(account);
  for (const change of STATUS_CHANGES) addStatus(account, change);
}

function addCreate(account: Command): void {
  const create = verb(account, {
    name: 'create',
    summary: 'Create an account, and print its secret API key once',
    details: 'The key, or with --invite the link, goes to standard output, the rest to standard error.',
    example: 'account create --invite --email ada@example.com --reason customer',
  })
    .option('--email <address>', 'the e-mail address for logging in')
    .option('--invite', 'print a link to set a password instead of a key')
    .option('--max-wallets <number>', 'the most wallets that it may have', parseWhole)
    .option('--operator', 'let it manage the service and all accounts');
  withKey(withReason(create)).action(
    serviceAction<NewAccountOptions>(async ({ service, output, options }) => {
      const { email, operator = false, maxWallets, invite = false, reason } = options;
      const created = await service.accounts.create({
        role: operator ? 'operator' : 'member',
        ...(email !== undefined && { email }),
        ...(maxWallets !== undefined && { max_wallets: maxWallets }),
        invite,
        reason,
      });
      process.stderr.write(`The ${invite ? 'setup link' : 'secret API key'} of ${created.id}, shown this once.\n`);
      await output.print(created, created.secret_key ?? created.setup_url ?? created.id);
      return EXIT.done;
    }),
  );
}

function addLog(account: Command): void {
  const log = verb(account, { name: 'log', summary: 'List what operators have changed, newest first', example: 'account log acc_…' });
  withKey(log)
    .argument('[account]', 'only what concerns this account', idParser('acc'))
    .action(
      listAction(
        ({ service, args: [id] }: ServiceCall<object>) =>
          service.operator.listActions({ 'per-page': 100, ...(id !== undefined && { account_id: id }) }),
        LOG_COLUMNS,
        'There is no entry.',
      ),
    );
}

const LOG_COLUMNS = [
  { name: 'time', text: ({ requested_at }: OperatorAction) => moment(requested_at) },
  { name: 'kind', text: ({ kind }: OperatorAction) => kind },
  { name: 'subject', text: ({ subject }: OperatorAction) => subject },
  { name: 'operator', text: ({ actor_id, requested_by }: OperatorAction) => actor_id ?? requested_by },
  { name: 'from', text: ({ origin }: OperatorAction) => origin ?? '' },
  { name: 'changes', text: ({ changes }: OperatorAction) => changes.map(changeText).join(', ') },
  { name: 'reason', text: ({ reason }: OperatorAction) => reason },
];

function changeText({ field, before, after }: OperatorAction['changes'][number]): string {
  return `${field}: ${before ?? 'none'} → ${after ?? 'none'}`;
}

interface StatusChange {
  readonly name: string;
  readonly status: AccountStatus;
  readonly summary: string;
  readonly details: string;
}

const CONTINUE = 'Its pending payments continue.';

const STATUS_CHANGES: readonly StatusChange[] = [
  { name: 'freeze', status: 'frozen', summary: 'Let an account only read', details: CONTINUE },
  { name: 'receive-only', status: 'receive_only', summary: 'Stop an account from sending money', details: CONTINUE },
  { name: 'wind-down', status: 'closing', summary: 'Let an account only send money', details: 'Close it when its wallets are empty.' },
  { name: 'close', status: 'closed', summary: 'Close an account', details: 'Its wallets must be empty.' },
  { name: 'unfreeze', status: 'active', summary: 'Let an account do everything again', details: 'Ends every other state.' },
];

function addStatus(account: Command, { name, status, summary, details }: StatusChange): void {
  const example = `account ${name} acc_… --reason "ticket 12"`;
  const change = verb(account, { name, summary, details, example });
  withKey(withReason(change.argument('<account>', ID, idParser('acc')))).action(
    printAction(
      ({ service, options: { reason }, args: [id = ''] }: ServiceCall<{ reason: string }>) =>
        service.accounts.update(id, { status, reason }),
      (changed) => `Done: ${changed.id} is ${changed.status}.`,
    ),
  );
}

const COLUMNS = [
  { name: 'id', text: ({ id }: Account) => id },
  { name: 'role', text: ({ role }: Account) => role },
  { name: 'status', text: ({ status }: Account) => status },
  { name: 'wallets', isRight: true, text: ({ num_wallets }: Account) => String(num_wallets) },
  { name: 'created', text: ({ created_at }: Account) => moment(created_at) },
  { name: 'e-mail', text: ({ email }: Account) => email ?? '' },
];

function describe({ id, role, status, email, num_wallets, max_wallets, has_password, created_at }: Account): string {
  const limit = max_wallets === 0 ? 'no limit' : `at most ${max_wallets}`;
  const login = `${email ?? 'no e-mail'}, ${has_password ? 'with' : 'without'} a password`;
  return `Account ${id}: ${role}, ${status}, created ${moment(created_at)}.\nLogin: ${login}.\nWallets: ${num_wallets}, ${limit}.`;
}

function parseWhole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
