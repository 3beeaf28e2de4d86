import type { Command } from 'commander';
import { counted } from '../core/kernel/counted.ts';
import type { Progress } from '../features/backup/take-backup.ts';
import { EXIT, localAction, verb } from './verb.ts';

/** `satchel backup`: writes a backup and checks it. The service runs this command when a scheduled backup is due. */
export function addBackup(program: Command): void {
  verb(program, {
    name: 'backup',
    summary: 'Write a backup of the database and check it',
    details:
      'The service may run at the same time. The backup goes to BACKUP_DIR, encrypted to BACKUP_RECIPIENTS (public keys of age). It is checked ' +
      'completely. With BACKUP_DIR set, the service writes one every hour. SECRET_KEY (or DATA_DIR/secret-key) is not in it: keep a copy elsewhere.',
    example: 'backup',
  })
    .option('--background', 'spare the service, as its own backups do: use idle processors, and read PostgreSQL for a quarter of the time')
    .action(
      localAction<{ background?: boolean }>('No backup was written: ', async ({ options, output }) => {
        const [{ readConfig }, { runBackup }, { readVersion }, { removeParts }, { yieldToOthers }] = await Promise.all([
          import('../config.ts'),
          import('./run-backup.ts'),
          import('../version.ts'),
          import('../features/backup/take-backup.ts'),
          import('../features/backup/background.ts'),
        ]);
        process.umask(0o077);
        const config = readConfig(process.env);
        for (const signal of ['SIGINT', 'SIGTERM'] as const)
          process.once(signal, () => {
            for (const folder of [config.backup.folder, config.dataDir]) removeParts(folder);
            process.exit(EXIT.notDone);
          });
        const { version, commit } = await readVersion(config.commit);
        const isBackground = options.background === true;
        if (isBackground) await yieldToOthers();
        const progress: Progress = (step, done, total) => output.progress(`${step}: ${percent(done, total)}`);
        const taken = await runBackup(config, { version, commit, isBackground, progress });
        output.progress('');
        const { path, manifest, deleted, warning } = taken;
        if (warning !== undefined) process.stderr.write(`${warning}\n`);
        if (manifest.mac === undefined)
          process.stderr.write(
            'A restore cannot check the origin of this backup: set SECRET_KEY, or DATA_DIR to the folder with secret-key.\n',
          );
        await output.print(
          { manifest: path, ...manifest, deleted },
          `${path}\n${counted(manifest.transfers, 'transfer')} over ${counted(manifest.wallets, 'wallet')}, ${manifest.bytes} bytes` +
            (config.backup.recipients.length === 0 ? ', not encrypted: set BACKUP_RECIPIENTS before you copy it elsewhere' : '') +
            (deleted === 0 ? '' : `\nDeleted ${counted(deleted, 'older backup')} (BACKUP_KEEP)`),
        );
        return EXIT.done;
      }),
    );
}

export function percent(done: number, total: number): string {
  return total === 0 ? '…' : `${Math.floor((100 * Math.min(done, total)) / total)} %`;
}
