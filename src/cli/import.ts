import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config.ts';
import type { Database } from '../core/db/database.ts';
import type { ImportReport, ImportResult, RunOptions } from '../features/import/import.ts';
import type { ImportSource, SourceName } from '../features/import/source.ts';
import { reportText, resultText } from './import-text.ts';
import type { Output } from './output.ts';
import { EXIT, localAction, NotDone, noun, parseReason, verb } from './verb.ts';

/** The programs, what `--from` names, and the function that opens the source. */
const SOURCES: Readonly<Record<SourceName, { title: string; from: string; open: (from: string) => Promise<ImportSource> }>> = {
  lnbits: {
    title: 'LNbits',
    from: 'the file database.sqlite3, or a postgres:// URL',
    open: async (from) => (await import('../features/import/lnbits/lnbits.ts')).openLnbits(from),
  },
  lndhub: {
    title: 'lndhub.go',
    from: 'the postgres:// URL of its database',
    open: async (from) => (await import('../features/import/lndhub/lndhub.ts')).openLndhub(from),
  },
  lnpay: {
    title: 'LNPay',
    from: 'a file of mysqldump or mariadb-dump',
    open: async (from) => (await import('../features/import/lnpay/lnpay.ts')).openLnpay(from),
  },
  albyhub: {
    title: 'Alby Hub',
    from: 'the file nwc.db, or a postgres:// URL',
    open: async (from) => (await import('../features/import/albyhub/albyhub.ts')).openAlbyhub(from),
  },
};

const EXAMPLES: Readonly<Record<SourceName, string>> = {
  lnbits: 'import lnbits --from /lnbits/database.sqlite3',
  lndhub: 'import lndhub --from postgres://lndhub@db.example.com/lndhub',
  lnpay: 'import lnpay --from lnpay.sql',
  albyhub: 'import albyhub --from /albyhub/nwc.db',
};

/** `satchel import`: imports the wallets of another program. */
export function addImport(program: Command): void {
  const command = noun(program, 'import', 'Import wallets from another program', 'import lnbits --from /lnbits/data/database.sqlite3');
  for (const name of Object.keys(SOURCES) as SourceName[]) addSource(command, name);
}

function addSource(command: Command, name: SourceName): void {
  const { title, from } = SOURCES[name];
  const added = verb(command, {
    name,
    summary: `Import the wallets of ${title}`,
    details: 'Without --plan it reports. See docs/import.md.',
    example: EXAMPLES[name],
  });
  added
    .option('--from <source>', from)
    .option('--plan <hash>', 'import what the report with this hash shows')
    .option('--resume', 'continue an interrupted import')
    .option('--account <id>', 'put all wallets into this account')
    .option('--wallet <ids...>', 'import only these wallets')
    .option('--except <ids...>', 'leave these wallets out')
    .option('--all', 'also import deleted wallets')
    .option('--no-history', 'import balances without the history')
    .option('--negative <how>', 'bear negative balances: zero-and-report, forgive', parseNegative)
    .option('--allow-mismatch <id=why...>', 'import despite a wrong balance in the source')
    .option('--address-domain <name>', 'the domain of imported addresses')
    .option('--other-node <why>', 'import although another node signed invoices', parseReason)
    .option('--accept-shortfall <why>', 'end although the node has too little', parseReason)
    .option('--map <file>', 'write old and new ids to a CSV file')
    .action(localAction<Options>('Nothing was imported: ', async ({ options, output }) => run(name, options, output)));
}

interface Options {
  readonly from?: string;
  readonly plan?: string;
  readonly resume?: boolean;
  readonly account?: string;
  readonly wallet?: readonly string[];
  readonly except?: readonly string[];
  readonly all?: boolean;
  readonly history: boolean;
  readonly negative?: 'zero' | 'forgive';
  readonly allowMismatch?: readonly string[];
  readonly addressDomain?: string;
  readonly otherNode?: string;
  readonly acceptShortfall?: string;
  readonly map?: string;
}

async function run(name: SourceName, options: Options, output: Output): Promise<number> {
  const from = options.from ?? process.env.SOURCE_DATABASE_URL;
  if (from === undefined) throw new NotDone(`add --from: ${SOURCES[name].from}. A URL with a password belongs into SOURCE_DATABASE_URL.`);
  const [{ readConfig }, { systemClock }, { withDatabase }, imports, { nodeBalance }] = await Promise.all([
    import('../config.ts'),
    import('../core/kernel/clock.ts'),
    import('./database.ts'),
    import('../features/import/import.ts'),
    import('./import-node.ts'),
  ]);
  const config = readConfig(process.env);
  const choices = choicesOf(options, config.addressDomains);
  return withDatabase(options.plan === undefined ? { readOnly: true } : {}, async (database) => {
    const node = await imports.findImportNode(database);
    await requireAccount(options.account, database);
    const source = await SOURCES[name].open(from);
    try {
      const progress = (step: string, done: number) => output.progress(`${step}: ${done}`);
      const common = { ...config, database, clock: systemClock, source, choices, node, progress };
      if (options.plan === undefined) return await showPlan(await imports.planImport(common), output);
      const settings: RunOptions = {
        ...common,
        plan: options.plan,
        isResume: options.resume === true,
        openSecretBox: () => openSecretBox(config, database),
        readNodeBalance: () => nodeBalance(config, node.pubkey),
        acceptedShortfall: options.acceptShortfall,
      };
      return await showResult(await imports.runImport(settings), options.map, output);
    } finally {
      await source.close();
    }
  });
}

async function openSecretBox(config: Config, database: Database) {
  const [{ findSecretKey, requireSecretKey }, { createSecretBox }] = await Promise.all([
    import('../secret-key.ts'),
    import('../features/webhooks/secrets.ts'),
  ]);
  const key = await findSecretKey(config);
  if (!key) throw new NotDone('the secrets of webhooks are stored sealed: set SECRET_KEY, or DATA_DIR to the folder with secret-key.');
  await requireSecretKey(database, key);
  return createSecretBox(key);
}

async function requireAccount(id: string | undefined, database: Database): Promise<void> {
  if (id === undefined) return;
  const { accountExists } = await import('../core/accounts/imported.ts');
  if (!(await accountExists(database, id)))
    throw new NotDone('--account must be the id of an account (acc_…). `satchel account list` lists them.');
}

function choicesOf(options: Options, addressDomains: readonly string[]): RunOptions['choices'] {
  const { account, wallet, except, all, history, negative = 'refuse', allowMismatch = [], addressDomain, otherNode } = options;
  if (addressDomain !== undefined && !addressDomains.includes(addressDomain))
    throw new NotDone(`--address-domain must be one of ${addressDomains.join(', ')}. Add others to ADDRESS_DOMAINS.`);
  return {
    accountId: account,
    only: wallet,
    except,
    isAll: all,
    hasHistory: history,
    negative,
    allowedMismatches: new Map(allowMismatch.map(readMismatch)),
    addressDomain,
    otherNode,
  };
}

function parseNegative(text: string): 'zero' | 'forgive' {
  if (text === 'zero-and-report') return 'zero';
  if (text === 'forgive') return 'forgive';
  throw new InvalidArgumentError(
    'It must be zero-and-report, which books nothing, or forgive, which takes it from the fees of the service.',
  );
}

function readMismatch(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at <= 0 || at === text.length - 1) throw new NotDone('--allow-mismatch must be the id of a wallet of the source, = and a reason.');
  return [text.slice(0, at), text.slice(at + 1)];
}

async function showPlan(report: ImportReport, output: Output): Promise<number> {
  output.progress('');
  await output.print(report, reportText(report));
  const isRefused = report.problems.length > 0 || report.wallets.some(({ action }) => action === 'refused');
  return isRefused ? EXIT.refused : EXIT.done;
}

async function showResult(result: ImportResult, map: string | undefined, output: Output): Promise<number> {
  output.progress('');
  if (map !== undefined) await writeFile(map, mapText(result), { mode: 0o600 });
  await output.print(result, resultText(result));
  return result.problems.length === 0 ? EXIT.done : EXIT.refused;
}

function mapText({ made }: ImportResult): string {
  return ['source_id,wallet_id,account_id', ...made.map((one) => `${one.source_id},${one.wallet_id},${one.account_id}`)]
    .join('\r\n')
    .concat('\r\n');
}
