import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkClock } from '../../src/cli/checks/clock.ts';
import { judgePostgres } from '../../src/cli/checks/database.ts';
import { judgeExpiry, judgeProxy } from '../../src/cli/checks/service.ts';
import { roughly } from '../../src/core/kernel/counted.ts';
import { checkFiles, judgeDisk } from '../../src/features/operator/checks/files.ts';
import { judgeBackup } from '../../src/features/operator/checks/settings.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;

it('warns when the disk is nearly full, and fails before the database cannot grow', () => {
  expect([2 * GIB, GIB / 2, GIB / 10].map((free) => judgeDisk(free, 100 * GIB).status)).toEqual(['ok', 'warn', 'fail']);
});

it('ignores a file that is deleted while the files are checked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-doctor-'));
  try {
    // It is listed, and does not exist when it is opened.
    symlinkSync(join(folder, 'deleted'), join(folder, 'satchel.db-wal'));
    expect(checkFiles(folder)).toMatchObject([{ status: 'ok' }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('names files with secrets that other users may read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-doctor-'));
  try {
    for (const name of ['first-key', 'satchel.db', 'notes']) writeFileSync(join(folder, name), '', { mode: 0o600 });
    expect(checkFiles(folder)).toMatchObject([{ status: 'ok' }]);
    chmodSync(join(folder, 'notes'), 0o644);
    chmodSync(join(folder, 'first-key'), 0o640);
    expect(checkFiles(folder)).toMatchObject([{ status: 'fail', text: 'other users may read first-key in DATA_DIR' }]);
    chmodSync(join(folder, 'first-key'), 0o600);
    chmodSync(folder, 0o755);
    expect(checkFiles(folder)).toMatchObject([{ status: 'warn' }]);
    expect(checkFiles(join(folder, 'absent'))).toMatchObject([{ status: 'fail', text: 'DATA_DIR cannot be read (ENOENT)' }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.each([
  ['none', undefined, 0, 'warn'],
  ['one of a minute ago', 60, 0, 'ok'],
  ['one of eight days ago', 8 * 86_400, 0, 'warn'],
  ['one of two intervals ago', 7200, 3600, 'ok'],
  ['one of four intervals ago', 14_400, 3600, 'fail'],
  ['one of the future, by a clock that was set back', -60, 3600, 'warn'],
] as const)('judges the last backup: %s', (_name, age, intervalSeconds, status) => {
  const last = age === undefined ? undefined : { createdAt: 1e9 - age, file: 'x', bytes: 1 };
  expect(judgeBackup(last, intervalSeconds, 1e9).status).toBe(status);
});

it('compares the clock with other machines, and notices a jump', () => {
  const times = [0, 10_000, -120_000].map((skewMs) => ({ source: 'the node', theirMs: 1e12, ourMs: 1e12 + skewMs }));
  expect(checkClock(times, 0)).toMatchObject([
    { status: 'ok' },
    { status: 'warn', text: '10.0 s ahead of the node' },
    { status: 'fail', text: '120.0 s behind the node' },
  ]);
  expect(checkClock([], -5000)).toMatchObject([{ status: 'warn', text: 'it jumped by -5.0 s during the check' }]);
});

it.each([
  [{}, ['ok', 'ok', 'ok', 'ok', 'ok']],
  [{ fsync: 'off' }, ['ok', 'fail', 'ok', 'ok', 'ok']],
  [{ synchronousCommit: 'remote_write' }, ['ok', 'fail', 'ok', 'ok', 'ok']],
  [{ synchronousStandbyNames: '', standbys: 0 }, ['ok', 'ok', 'warn', 'ok', 'ok']],
  [{ synchronous: 0 }, ['ok', 'ok', 'fail', 'ok', 'ok']],
  [{ synchronousStandbyNames: 'first 2 (a, b)' }, ['ok', 'ok', 'fail', 'ok', 'ok']],
  [{ synchronousStandbyNames: '2 (a, b)', synchronous: 2 }, ['ok', 'ok', 'ok', 'ok', 'ok']],
  [{ synchronousStandbyNames: '"a"' }, ['ok', 'ok', 'ok', 'ok', 'ok']],
  [{ synchronous: 0, hidden: 1 }, ['ok', 'ok', 'warn', 'ok', 'ok']],
  [{ synchronousCommit: 'local' }, ['ok', 'fail', 'ok', 'ok', 'ok']],
  [{ synchronousStandbyNames: '', synchronous: 0 }, ['ok', 'fail', 'warn', 'ok', 'ok']],
  [{ version: 150_000 }, ['ok', 'ok', 'ok', 'ok', 'ok']],
  [{ version: 149_999 }, ['fail', 'ok', 'ok', 'ok', 'ok']],
  [{ encoding: 'SQL_ASCII' }, ['ok', 'ok', 'ok', 'fail', 'ok']],
  [{ connections: 90 }, ['ok', 'ok', 'ok', 'ok', 'warn']],
])('judges the settings of PostgreSQL: %j', (changed, statuses) => {
  const good = {
    ...{
      version: 180_004,
      now_ms: 0,
      encoding: 'UTF8',
      collate: 'C',
      max_connections: 100,
      connections: 10,
      synchronous: 1,
      hidden: 0,
      standbys: 1,
    },
    ...{ fsync: 'on', fullPageWrites: 'on', synchronousCommit: 'on', synchronousStandbyNames: 'ANY 1 (a, b)' },
  };
  const findings = judgePostgres({ ...good, ...changed }, 'server');
  expect(findings.map(({ status }) => status)).toEqual(statuses);
  expect(findings.filter(({ status, remedy }) => (status === 'ok') !== (remedy === null))).toEqual([]);
});

it('fails when clients can claim any address behind the proxy', () => {
  expect(judgeProxy('203.0.113.7').status).toBe('fail');
  expect(judgeProxy('198.51.100.24').status).toBe('ok');
});

it.each([
  ['90 days', 90 * DAY_MS, 30 * DAY_MS, '30 days'],
  ['12 hours', DAY_MS / 2, DAY_MS / 6, '4 hours'],
])('warns when less than a third of the validity of a certificate is left, for one of %s', (_name, validMs, thirdMs, left) => {
  expect(judgeExpiry(0, validMs, validMs - thirdMs)).toMatchObject({ status: 'ok', text: `the certificate is valid for ${left} more` });
  expect(judgeExpiry(0, validMs, validMs - thirdMs + 1).status).toBe('warn');
});

it.each([
  [0, '0 minutes'],
  [7199, '119 minutes'],
  [7200, '2 hours'],
  [172_799, '47 hours'],
  [172_800, '2 days'],
  [432_000, '5 days'],
])('shows %d seconds as %s', (seconds, text) => {
  expect(roughly(seconds)).toBe(text);
});
