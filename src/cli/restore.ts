import type { Command } from 'commander';
import { counted } from '../core/kernel/counted.ts';
import type { Manifest } from '../features/backup/manifest.ts';
import { percent } from './backup.ts';
import type { Output } from './output.ts';
import { confirm, EXIT, localAction, NotDone, noun, verb, withConfirmation, withReason } from './verb.ts';

/** `satchel restore`: restores a backup, and ends the time in which a restored service sends no money. */
export function addRestore(program: Command): void {
  const restore = noun(program, 'restore', 'Restore a backup', 'restore run /backups/satchel-20261124T010203Z-1a2b.json');
  addRun(restore);
  addCheck(restore);
  addMark(restore);
  addEmpty(restore);
  addStatus(restore);
  addAccept(restore);
}

function addRun(restore: Command): void {
  const run = verb(restore, {
    name: 'run',
    summary: 'Restore a backup into a new database',
    details:
      'Stop the service first, move the files of the lost database away, and put the secret key back (SECRET_KEY, or DATA_DIR/secret-key): it ' +
      'proves that the service wrote the backup. The backup is checked completely. Afterwards the service receives ' +
      'money and sends none, until `satchel restore accept`.',
    example: 'restore run /backups/satchel-20261124T010203Z-1a2b.json',
  });
  withManifest(run).action(
    localAction<ReadOptions>('Nothing was restored: ', async ({ args, options, output }) => {
      const [{ sqlitePathOf }, { restoreBackup }, move, { restoreToPostgres }, { common, config }] = await Promise.all([
        import('../core/db/open.ts'),
        import('../features/backup/restore.ts'),
        import('../features/move/move.ts'),
        import('../features/backup/restore-postgres.ts'),
        readOptions(args[0] as string, options, output),
      ]);
      const [path, database] = [sqlitePathOf(config.databaseUrl), move.nameOf(config.databaseUrl)];
      const manifest = await (path === undefined
        ? restoreToPostgres({ ...common, url: config.databaseUrl, workFolder: config.dataDir })
        : restoreBackup({ ...common, database: path }));
      output.progress('');
      const isOriginChecked = !common.hasUncheckedOrigin;
      await output.print(
        { database, ...manifest, is_origin_checked: isOriginChecked },
        `${database} has ${describe(manifest, isOriginChecked)}\n` +
          'Everything later is missing: payments, transfers, new wallets and keys. Keys that were revoked later work again.\n' +
          NEXT,
      );
      return EXIT.done;
    }),
  );
}

function addCheck(restore: Command): void {
  const check = verb(restore, {
    name: 'check',
    summary: 'Check that a backup can be restored',
    details:
      'It decrypts the backup into DATA_DIR, checks the whole ledger in it, and deletes that copy. Nothing else changes; the service may run.',
    example: 'restore check /backups/satchel-20261124T010203Z-1a2b.json',
  });
  withManifest(check).action(
    localAction<ReadOptions>('The backup cannot be restored: ', async ({ args, options, output }) => {
      const [{ checkBackup }, { common, config }] = await Promise.all([
        import('../features/backup/restore.ts'),
        readOptions(args[0] as string, options, output),
      ]);
      const manifest = await checkBackup({ ...common, workFolder: config.dataDir });
      output.progress('');
      const isOriginChecked = !common.hasUncheckedOrigin;
      await output.print({ ...manifest, is_origin_checked: isOriginChecked }, `The backup has ${describe(manifest, isOriginChecked)}`);
      return EXIT.done;
    }),
  );
}

interface ReadOptions {
  readonly identityFile?: string;
  readonly uncheckedOrigin?: boolean;
}

/** Adds the argument and the options of a command that reads a backup. */
function withManifest(command: Command): Command {
  return command
    .argument('<manifest>', 'the .json file beside the backup')
    .option('--identity-file <file>', 'the file with the age identity of an encrypted backup; - is standard input')
    .option('--unchecked-origin', 'continue although it is not certain that the service wrote the backup');
}

async function readOptions(manifest: string, { identityFile, uncheckedOrigin = false }: ReadOptions, output: Output) {
  const [{ readConfig }, { systemClock }, { stderrLog }, { readIdentities }, { findSecretKey }] = await Promise.all([
    import('../config.ts'),
    import('../core/kernel/clock.ts'),
    import('./database.ts'),
    import('../features/backup/restore.ts'),
    import('../secret-key.ts'),
  ]);
  const config = readConfig(process.env);
  process.umask(0o077);
  const common = {
    manifest,
    identities: identityFile === undefined ? [] : await readIdentities(identityFile),
    secretKey: await findSecretKey(config),
    hasUncheckedOrigin: uncheckedOrigin,
    clock: systemClock,
    log: stderrLog,
    progress: (step: string, done: number, total: number) => output.progress(`${step}: ${percent(done, total)}`),
  };
  return { config, common };
}

function describe({ transfers, wallets, created_at }: Manifest, isOriginChecked: boolean): string {
  const time = new Date(created_at * 1000).toISOString();
  const origin = isOriginChecked ? '' : '\nIt was not checked that the service wrote this backup.';
  return `${counted(transfers, 'transfer')} over ${counted(wallets, 'wallet')}, as of ${time}.${origin}`;
}

function addMark(restore: Command): void {
  verb(restore, {
    name: 'mark',
    summary: 'Keep a database that was restored by other means from sending money',
    details: 'For a PostgreSQL database that pgBackRest or pg_restore has restored. Run it before the first start of the service.',
    example: 'restore mark --as-of 2026-11-24T01:02:03Z',
  })
    .requiredOption('--as-of <time>', 'the time of the restored state, in UTC')
    .action(
      localAction<{ asOf: string }>('Nothing has changed: ', async ({ options: { asOf }, output }) => {
        const [{ withDatabase }, { beginQuarantine }, { systemClock, unixSeconds }] = await Promise.all([
          import('./database.ts'),
          import('../core/quarantine/quarantine.ts'),
          import('../core/kernel/clock.ts'),
        ]);
        const backupCreatedAt = Math.floor(Date.parse(asOf) / 1000);
        if (!Number.isSafeInteger(backupCreatedAt)) throw new NotDone('--as-of must be a time such as 2026-11-24T01:02:03Z.');
        await withDatabase({}, (database) =>
          database.transaction((tx) => beginQuarantine(tx, { backupCreatedAt, restoredAt: unixSeconds(systemClock) })),
        );
        await output.print({ marked: true }, `The service sends no money from this database until \`satchel restore accept\`.\n${NEXT}`);
        return EXIT.done;
      }),
    );
}

function addEmpty(restore: Command): void {
  verb(restore, {
    name: 'empty',
    summary: 'Begin with an empty ledger, when the database and all backups are lost',
    details:
      'Put the secret key back first (SECRET_KEY, or DATA_DIR/secret-key): with it, the records of the nodes name the wallet of each payment and ' +
      'receipt. Each wallet gets what it has received less what it has sent, under an account of its own.',
    example: 'restore empty',
  }).action(
    localAction('Nothing was created: ', async ({ output }) => {
      const [{ readConfig }, { sqlitePathOf }, { systemClock }, { stderrLog, withDatabase }, empty, { findSecretKey }] = await Promise.all([
        import('../config.ts'),
        import('../core/db/open.ts'),
        import('../core/kernel/clock.ts'),
        import('./database.ts'),
        import('../features/backup/empty-ledger.ts'),
        import('../secret-key.ts'),
      ]);
      const config = readConfig(process.env);
      if (!(await findSecretKey(config)))
        throw new NotDone(
          'there is no secret key, so nothing could be recovered. Set SECRET_KEY, or put the file secret-key into DATA_DIR.',
        );
      process.umask(0o077);
      const path = sqlitePathOf(config.databaseUrl);
      if (path === undefined) await withDatabase({ hasAnySchema: true }, (database) => empty.fillEmptyDatabase(database, systemClock));
      else await empty.createEmptyFile(path, systemClock, stderrLog);
      await output.print(
        { created: true },
        `The ledger is empty.\n${NEXT}\nIf a node belongs to the lost ledger, the start names it: set TAKE_OVER_FROM_LEDGER to it.`,
      );
      return EXIT.done;
    }),
  );
}

const NEXT =
  'Next: start the service. It reads from its nodes what they have received and sent since. `satchel restore status` shows the\n' +
  'progress and the result; then `satchel restore accept --reason "…"` lets it send money again.';

function addStatus(restore: Command): void {
  verb(restore, {
    name: 'status',
    summary: 'Show what was recovered after a restore, and what is lost',
    details: 'It reads the database; the service may run.',
    example: 'restore status --json',
  }).action(
    localAction('Nothing was read: ', async ({ output }) => {
      const [{ withDatabase }, { readRestore }, { restoreText }] = await Promise.all([
        import('./database.ts'),
        import('../features/restore/restore.ts'),
        import('./restore-text.ts'),
      ]);
      const restore = await withDatabase({ readOnly: true }, readRestore);
      await output.print(restore, restoreText(restore));
      return EXIT.done;
    }),
  );
}

function addAccept(restore: Command): void {
  const command = verb(restore, {
    name: 'accept',
    summary: 'Let a restored service send money again',
    details:
      'It is refused until the records of all nodes were read back, and a reconciliation after it agrees. See `satchel restore status`.',
    example: 'restore accept --reason "read back, shortfalls explained"',
  }).option('--despite-differences', 'accept although that is not so');
  withConfirmation(withReason(command)).action(
    localAction<{ reason: string; yes?: boolean; despiteDifferences?: boolean }>('Nothing has changed: ', async ({ options, output }) => {
      const [{ withDatabase }, { endQuarantine }, { systemClock }, { objectionTo, readRestore }] = await Promise.all([
        import('./database.ts'),
        import('../core/quarantine/quarantine.ts'),
        import('../core/kernel/clock.ts'),
        import('../features/restore/restore.ts'),
      ]);
      return withDatabase({ withoutLock: true }, async (database) => {
        const report = await readRestore(database);
        if (!report.quarantined) throw new NotDone('this database was not restored from a backup, or the restore was accepted already.');
        const objection = objectionTo(report);
        if (objection !== undefined && !options.despiteDifferences)
          throw new NotDone(`${objection}. To accept nevertheless, add --despite-differences and say why in --reason.`);
        await confirm(`${report.not_recovered.join('\n')}\nRevoke such keys and links first. The service then sends money again.`, options);
        await endQuarantine(database, options.reason, systemClock, report);
        await output.print({ accepted: true }, 'A running service sends money again within a few seconds.');
        return EXIT.done;
      });
    }),
  );
}
