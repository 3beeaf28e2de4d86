import { openDatabase } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import {
  findImportNode,
  type ImportOptions,
  type ImportReport,
  type ImportResult,
  planImport,
  runImport,
} from '../../src/features/import/import.ts';
import type { ImportChoices } from '../../src/features/import/plan.ts';
import type { ImportSource } from '../../src/features/import/source.ts';
import { createSecretBox } from '../../src/features/webhooks/secrets.ts';
import { openSecretKey } from '../../src/secret-key.ts';
import type { FakeNodeApp } from '../support/app.ts';
import { silentLog } from '../support/ledger.ts';

const CHOICES: Omit<ImportChoices, 'node'> = { hasHistory: true, negative: 'refuse', allowedMismatches: new Map() };
export const ADDRESS_DOMAIN = 'wallets.example';

type OpenSource = () => Promise<ImportSource>;

/** Returns the node of the source. The node of the service stands for it, and has its invoices. */
async function signerOf(source: ImportSource): Promise<string> {
  for await (const { kind, amountMsat, paymentRequest } of source.history())
    if (kind === 'lightning' && amountMsat > 0 && paymentRequest !== undefined) return decodeBolt11(paymentRequest).payee;
  throw new Error('the source has no invoice');
}

/** Runs work with the options of an import into the database of a service. */
async function withSource<T>(
  { databaseUrl }: Pick<FakeNodeApp, 'databaseUrl'>,
  open: OpenSource,
  choices: Partial<ImportChoices>,
  work: (options: ImportOptions) => Promise<T>,
  readOnly = false,
): Promise<T> {
  const [source, database] = await Promise.all([open(), openDatabase(databaseUrl, { log: silentLog, readOnly })]);
  try {
    const rules = { addressDomains: [ADDRESS_DOMAIN], publicUrl: `https://${ADDRESS_DOMAIN}` };
    const node = { ...(await findImportNode(database)), pubkey: await signerOf(source) };
    return await work({ ...rules, database, clock: systemClock, source, choices: { ...CHOICES, ...choices }, node });
  } finally {
    await source.close();
    await database.close();
  }
}

/** Returns what would be imported, while the service runs. */
export function planOf(app: FakeNodeApp, open: OpenSource, choices: Partial<ImportChoices> = {}): Promise<ImportReport> {
  return withSource(app, open, choices, planImport, true);
}

/** Stops the service, imports what the plan shows, and starts the service again. */
export async function importInto(app: FakeNodeApp, open: OpenSource, choices: Partial<ImportChoices> = {}): Promise<ImportResult> {
  let outcome: Promise<ImportResult> | undefined;
  await app.restart(async () => {
    const run = async (options: ImportOptions) => {
      const { plan } = await planImport(options);
      const openSecretBox = async () =>
        createSecretBox(await openSecretKey({ dataDir: app.dataDir, secretKey: undefined, replaceSecretKey: undefined }, options.database));
      return runImport({ ...options, plan, isResume: false, openSecretBox, readNodeBalance: async () => Number.MAX_SAFE_INTEGER });
    };
    outcome = withSource(app, open, choices, run);
    await outcome.catch(() => undefined);
  });
  if (!outcome) throw new Error('the service was not restarted');
  return outcome;
}
