import { type Command, Option } from 'commander';
import type { Key } from '../../client/satchel.js';
import { createsAccountSecret } from './account-secret.ts';
import { listAction, type ServiceCall, serviceAction, withKey } from './service.ts';
import { moment } from './table.ts';
import { confirm, EXIT, idParser, NotDone, noun, verb, withConfirmation } from './verb.ts';

/** `satchel key`: creates the keys of accounts. */
export function addKey(program: Command): void {
  const key = noun(program, 'key', 'Create, list and revoke API keys', 'key list');
  addList(key);
  addCreate(key);
  addRevoke(key);
  addRecover(key);
}

interface OfWallet {
  readonly wallet?: string;
}

function ofWallet(command: Command): Command {
  return withKey(command).option('--wallet <wallet>', 'act on the keys of this wallet instead of the account’s keys', idParser('wal'));
}

function addList(key: Command): void {
  ofWallet(verb(key, { name: 'list', summary: 'List the keys of your account', example: 'key list' })).action(
    listAction(
      ({ service, options: { wallet } }: ServiceCall<OfWallet>) => {
        const query = { 'per-page': 100 };
        return wallet === undefined ? service.keys.list(query) : service.wallets.listKeys(wallet, query);
      },
      COLUMNS,
      'There is no key.',
    ),
  );
}

const COLUMNS = [
  { name: 'id', text: ({ id }: Key) => id },
  { name: 'kind', text: ({ kind }: Key) => kind },
  { name: 'status', text: ({ status }: Key) => status },
  { name: 'created', text: ({ created_at }: Key) => moment(created_at) },
  { name: 'key', text: ({ hint }: Key) => hint },
  { name: 'label', text: ({ user_label }: Key) => user_label },
];

const WALLET_KINDS = ['wallet_admin', 'wallet_invoice', 'wallet_read'] as const;

interface NewKeyOptions extends OfWallet {
  readonly kind?: (typeof WALLET_KINDS)[number];
  readonly label?: string;
}

function addCreate(key: Command): void {
  const create = verb(key, {
    name: 'create',
    summary: 'Create a key, and print it once',
    details: 'The key goes to standard output, the rest to standard error.',
    example: 'key create --wallet wal_… --kind wallet_read --label till',
  });
  ofWallet(create)
    .addOption(
      new Option(
        '--kind <kind>',
        'of a wallet’s key: wallet_admin may send and receive, wallet_invoice receive, wallet_read only read',
      ).choices(WALLET_KINDS),
    )
    .option('--label <text>', 'a name for the key')
    .action(
      serviceAction<NewKeyOptions>(async ({ service, output, options: { wallet, kind, label } }) => {
        const fields = label === undefined ? {} : { user_label: label };
        const created =
          wallet === undefined || kind === undefined
            ? await service.keys.create(fields)
            : await service.wallets.createKey(wallet, { ...fields, kind });
        process.stderr.write(`A key, shown this once; its id is ${created.id}.\n`);
        await output.print(created, created.key);
        return EXIT.done;
      }, requireKindWithWallet),
    );
}

function requireKindWithWallet({ wallet, kind }: NewKeyOptions): void {
  if ((wallet === undefined) !== (kind === undefined)) throw new NotDone('Nothing was done: --wallet and --kind belong together.');
}

function addRevoke(key: Command): void {
  const revoke = verb(key, { name: 'revoke', summary: 'Revoke a key', example: 'key revoke key_…' }).argument(
    '<key>',
    'the id of the key, not the key itself',
    idParser('key'),
  );
  ofWallet(withConfirmation(revoke)).action(
    serviceAction<OfWallet & { yes?: boolean }>(async ({ service, output, options, args: [id = ''] }) => {
      await confirm(`The key ${id} can no longer be used.`, options);
      const { wallet } = options;
      const revoked = await (wallet === undefined ? service.keys.revoke(id) : service.wallets.revokeKey(wallet, id));
      await output.print(revoked, `Done: ${id} is revoked.`);
      return EXIT.done;
    }),
  );
}

function addRecover(key: Command): void {
  const recover = verb(key, {
    name: 'recover',
    summary: 'Create a secret API key for an account whose keys are lost',
    details: 'It has no limits. It is created in the database, for when no key of an operator is left. Verify first who requests it.',
    example: 'key recover acc_…',
  });
  createsAccountSecret(recover, 'key', async () => {
    const [{ replaceLostKey }, { systemClock }] = await Promise.all([
      import('../core/accounts/keyring.ts'),
      import('../core/kernel/clock.ts'),
    ]);
    return async (database, accountId) => {
      const created = await replaceLostKey(database, systemClock, accountId);
      if (!created) return undefined;
      const notice = `A secret API key without limits for ${accountId}, shown this once; its id is ${created.id}.
Its owner should revoke the lost keys with it now: \`satchel key list\` lists them, \`satchel key revoke\` revokes one.`;
      return { notice, secret: created.text, json: { id: created.id, key: created.text } };
    };
  });
}
