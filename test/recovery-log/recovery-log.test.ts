import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRecoveryLog, type HoldInvoiceEntry, type RecoveryLogOptions } from '../../src/core/recovery-log/recovery-log.ts';
import { silentLog } from '../support/ledger.ts';

const NOW = 1_700_000_000;
const DAY = 86_400;

const entry = (id: string, at = NOW): HoldInvoiceEntry => ({
  kind: 'hold_invoice',
  id,
  at,
  until: at + 3600,
  walletId: 'wal_1',
  nodePubkey: '02'.padEnd(66, '0'),
  paymentHash: 'ab'.repeat(32),
  memo: 'a very private memo',
  expirySeconds: 3600,
  statusKey: '00'.repeat(32),
});

describe('the recovery log', () => {
  let folder = '';
  const clock = { seconds: NOW, nowMs: () => 1000 * clock.seconds };
  const openLog = (options: Partial<RecoveryLogOptions> = {}) =>
    createRecoveryLog({ folder, secretKey: new Uint8Array(32), clock, log: silentLog, ...options });
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.log'));
  const idsOf = async (log = openLog(), since = 0) => (await log.read(since)).entries.map(({ id }) => id);

  beforeEach(() => {
    clock.seconds = NOW;
    folder = join(mkdtempSync(join(tmpdir(), 'satchel-recovery-')), 'log');
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  it('returns what was appended, at once and later, to another process with the key', async () => {
    const log = openLog();
    await Promise.all(['a', 'b', 'c'].map((id) => log.append(entry(id))));
    await log.append(entry('d', NOW + 5));
    expect(await idsOf()).toEqual(['a', 'b', 'c', 'd']);
    expect(await idsOf(openLog(), NOW + 5)).toEqual(['d']);
    expect((await openLog().read(0)).entries[0]).toEqual(entry('a'));
    await log.close();
  });

  it('stores an entry that is appended when the one before it was stored', async () => {
    const log = openLog();
    for (let index = 0; index < 50; index++) await log.append(entry(String(index)));
    expect(await idsOf()).toHaveLength(50);
    await log.close();
  });

  it('shows nothing without the key, and is readable by its owner only', async () => {
    const log = openLog();
    await log.append(entry('a'));
    await log.close();
    const [name = ''] = files();
    const text = readFileSync(join(folder, name), 'latin1');
    expect(text).not.toMatch(/private|wal_1|hold_invoice/);
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    expect(await openLog({ secretKey: new Uint8Array(32).fill(1) }).read(0)).toMatchObject({ entries: [], damaged: 1 });
  });

  it('ignores a last line that was cut off, and continues in another file', async () => {
    const first = openLog();
    await first.append(entry('a'));
    await first.close();
    appendFileSync(join(folder, files()[0] ?? ''), 'dG9ybg');
    clock.seconds += 1;
    const second = openLog();
    await second.append(entry('b'));
    expect(files()).toHaveLength(2);
    expect(await openLog().read(0)).toMatchObject({ damaged: 0, entries: [{ id: 'a' }, { id: 'b' }] });
    await second.close();
  });

  it('counts lines that were changed or moved to another file', async () => {
    const log = openLog();
    await log.append(entry('a'));
    await log.close();
    renameSync(join(folder, files()[0] ?? ''), join(folder, 'recovery-1700000000000-ffffffff.log'));
    expect(await openLog().read(0)).toMatchObject({ damaged: 1, entries: [] });
  });

  it('is shared by several instances, each with its own files', async () => {
    const [one, two] = [openLog(), openLog()];
    await Promise.all([one.append(entry('a')), two.append(entry('b'))]);
    expect((await idsOf()).sort()).toEqual(['a', 'b']);
    await Promise.all([one.close(), two.close()]);
  });

  it('states since when it is complete, also before its first entry', async () => {
    expect((await openLog().read(0)).completeSince).toBeUndefined();
    await openLog().begin();
    clock.seconds += 100;
    await openLog().begin();
    expect((await openLog().read(0)).completeSince).toBe(NOW);
  });

  it.each([
    [30 * DAY - 1, ['a', 'b'], NOW],
    [30 * DAY + 1, ['b'], NOW + 1],
  ])('drops a file %i s after all in it has ended, and states what is missing', async (seconds, ids, completeSince) => {
    const first = openLog();
    await first.append(entry('a'));
    await first.close();
    utimesSync(join(folder, files()[0] ?? ''), NOW, NOW);
    clock.seconds = NOW + 3600 + seconds;
    const second = openLog();
    await second.append(entry('b', clock.seconds));
    expect(await idsOf()).toEqual(ids);
    expect((await openLog().read(0)).completeSince).toBe(completeSince);
    await second.close();
  });

  it('has at most a set size: the oldest files go first', async () => {
    const log = openLog({ sizes: { fileBytes: 1, totalBytes: 2000 } });
    for (let index = 0; index < 20; index++) {
      clock.seconds += 1;
      await log.append(entry(String(index), clock.seconds));
    }
    const bytes = files().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(3000);
    const { entries, completeSince } = await openLog().read(0);
    expect(entries.at(-1)?.id).toBe('19');
    expect(completeSince).toBe(entries[0]?.at);
    await log.close();
  });

  it('rejects an entry that it could not store', async () => {
    const log = openLog({ folder: '/dev/null/log' });
    await expect(log.append(entry('a'))).rejects.toThrow('ENOTDIR');
    await expect(log.begin()).rejects.toThrow('ENOTDIR');
  });
});
