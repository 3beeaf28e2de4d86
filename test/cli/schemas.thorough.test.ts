import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { migratedUrls, silentLog } from '../support/ledger.ts';
import { processSettings, runSatchel, startProcess } from '../support/process.ts';

const insertNewer = statement(
  'test_newer',
  "INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (9001, '9001-later.sql', 'x', 1)",
);
const countFacts = statement<{ n: number }>('test_facts', 'SELECT count(*) AS n FROM service_fact');

for (const dialect of ['sqlite', 'postgres'] as const) {
  const urls = migratedUrls(dialect);
  const folder = mkdtempSync(join(tmpdir(), 'satchel-schemas-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function opened<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase(url, { log: silentLog });
    return work(database).finally(() => database.close());
  }

  it(`reports that another instance may run beside a current schema (${dialect})`, async () => {
    const settings = { ...(await processSettings(join(folder, dialect), await urls())), LIGHTNING_URL: 'fake:?seed=1' };
    const { code, stdout } = await runSatchel(['migrate', '--check', '--json'], settings);
    expect([code, JSON.parse(stdout)]).toEqual([0, { is_current: true, pending: [], can_run_beside: true }]);
  });

  it(`D2: refuses a downgrade with one sentence, in the service and in each command that opens the database (${dialect})`, async () => {
    const settings: Record<string, string> = {
      ...(await processSettings(join(folder, dialect), await urls())),
      LIGHTNING_URL: 'fake:?seed=1',
    };
    const url = settings.DATABASE_URL ?? '';
    await opened(url, (database) => database.transaction((tx) => tx.run(insertNewer)));
    const sentence =
      'The database was written by a newer version of Satchel. Start that version, or restore a backup made before the upgrade.';
    await expect(startProcess(settings)).rejects.toThrow(`Satchel cannot start: ${sentence}`);
    const commands = ['migrate', 'migrate --check', 'backup', 'verify', 'restore mark --as-of 2026-11-24T01:02:03Z', 'key recover'];
    for (const command of commands) {
      const { code, output, stdout } = await runSatchel(command.split(' '), settings);
      expect([command, code, output.includes(sentence), stdout]).toEqual([command, 2, true, '']);
    }
    expect(await opened(url, (database) => database.first(countFacts))).toEqual({ n: 0 });
  });
}
