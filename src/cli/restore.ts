import type { Command } from 'commander';
import { percent } from './backup.ts';
import { counted } from './table.ts';
import { confirm, EXIT, localAction, NotDone, noun, verb, withConfirmation, withReason } from './verb.ts';

/** `satchel restore`: restores a backup, and ends the time in which a restored service sends no money. */
export function addRestore(program: Command): void {
  const restore = noun(program, 'restore', 'Restore a backup', 'restore run /backups/satchel-20261124T010203Z-1a2b.json');
  addRun(restore);
  addMark(restore);
  addAccept(restore);
}

function addRun(restore: Command): void {
  verb(restore, {
    name: 'run',
    summary: 'Restore a backup into a new database',
    details:
      'Stop the service first, move the files of the lost database away, and put the secret key back (SECRET_KEY, or DATA_DIR/secret-key): it ' +
      'proves that the service wrote the backup. The backup is checked completely. Afterwards the service receives ' +
      'money and sends none, until `satchel restore accept`.',
    example: 'restore run /backups/satchel-20261124T010203Z-1a2b.json',
  })
    .argument('<manifest>', 'the .json file beside the backup')
    .option('--identity-file <file>', 'the file with the age identity of an encrypted backup')
    .option('--unchecked-origin', 'restore although it is not certain that the service wrote the backup')
    .action(
      localAction<{ identityFile?: string; uncheckedOrigin?: boolean }>('Nothing was restored: ', async ({ args, options, output }) => {
        const { identityFile, uncheckedOrigin = false } = options;
        const [{ readConfig }, { sqlitePathOf }, { systemClock }, { stderrLog }, backups, { findSecretKey }, move, postgres] =
          await Promise.all([
            import('../config.ts'),
            import('../core/db/open.ts'),
            import('../core/kernel/clock.ts'),
            import('./database.ts'),
            import('../features/backup/restore.ts'),
            import('../secret-key.ts'),
            import('../features/move/move.ts'),
            import('../features/backup/restore-postgres.ts'),
          ]);
        const config = readConfig(process.env);
        const [path, database] = [sqlitePathOf(config.databaseUrl), move.nameOf(config.databaseUrl)];
        process.umask(0o077);
        const common = {
          manifest: args[0] as string,
          identities: identityFile === undefined ? [] : await backups.readIdentities(identityFile),
          secretKey: await findSecretKey(config),
          hasUncheckedOrigin: uncheckedOrigin,
          clock: systemClock,
          log: stderrLog,
          progress: (step: string, done: number, total: number) => output.progress(`${step}: ${percent(done, total)}`),
        };
        const manifest = await (path === undefined
          ? postgres.restoreToPostgres({ ...common, url: config.databaseUrl, workFolder: config.dataDir })
          : backups.restoreBackup({ ...common, database: path }));
        output.progress('');
        const time = new Date(manifest.created_at * 1000).toISOString();
        await output.print(
          { database, ...manifest, is_origin_checked: !uncheckedOrigin },
          `${database} has ${counted(manifest.transfers, 'transfer')} over ${counted(manifest.wallets, 'wallet')}, as of ${time}.\n` +
            (uncheckedOrigin ? 'It was not checked that the service wrote this backup.\n' : '') +
            'Everything later is missing: payments, transfers, new wallets and keys. Keys that were revoked later work again.\n' +
            'Next: start the service, run `satchel reconcile`, and when node and ledger agree\n' +
            '`satchel restore accept --reason "…"`.',
        );
        return EXIT.done;
      }),
    );
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
        await output.print({ marked: true }, 'The service sends no money from this database until `satchel restore accept`.');
        return EXIT.done;
      }),
    );
}

function addAccept(restore: Command): void {
  const command = verb(restore, {
    name: 'accept',
    summary: 'Let a restored service send money again',
    details:
      'First start the service, run `satchel reconcile`, and compare the node with the ledger: payments that left the node after the backup are missing.',
    example: 'restore accept --reason "compared with the node, 3 payments booked"',
  });
  withConfirmation(withReason(command)).action(
    localAction<{ reason: string; yes?: boolean }>('Nothing has changed: ', async ({ options, output }) => {
      const [{ withDatabase }, { endQuarantine, readQuarantine }, { systemClock }] = await Promise.all([
        import('./database.ts'),
        import('../core/quarantine/quarantine.ts'),
        import('../core/kernel/clock.ts'),
      ]);
      return withDatabase({ withoutLock: true }, async (database) => {
        const restored = await readQuarantine(database);
        if (!restored) throw new NotDone('this database was not restored from a backup, or the restore was accepted already.');
        const time = new Date(restored.backupCreatedAt * 1000).toISOString();
        await confirm(
          `The wallets can spend their balances of ${time} again, also money that they spent afterwards.\n` +
            'Keys and links that were revoked or used afterwards work again: revoke them first.',
          options,
        );
        await endQuarantine(database, options.reason, systemClock);
        await output.print({ accepted: true }, 'A running service sends money again within a few seconds.');
        return EXIT.done;
      });
    }),
  );
}
