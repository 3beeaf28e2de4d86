import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { readSlowly } from '../../src/features/backup/background.ts';
import { backupProcess } from '../../src/features/backup/schedule.ts';
import type { Lines } from '../../src/features/move/lines.ts';
import type { CopySide } from '../../src/features/move/side.ts';
import { listTables } from '../../src/features/move/tables.ts';

const execute = promisify(execFile);

/** The scheduling policy of Linux for processes that run only while a processor is idle (sched(7)). */
const SCHED_IDLE = '5';
const hasPolicies = await execute('chrt', ['--max']).then(
  () => true,
  () => false,
);

it.skipIf(!hasPolicies)('runs a background backup with the policy for idle processors (needs chrt)', async () => {
  const module = JSON.stringify(import.meta.resolve('../../src/features/backup/background.ts'));
  const script = `const { yieldToOthers } = await import(${module}); await yieldToOthers();
    process.stdout.write((await import('node:fs')).readFileSync('/proc/self/stat', 'utf8'));`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', script]);
  // The fields after the program's name in parentheses begin with the third; the policy is field 41 (proc_pid_stat(5)).
  const policyOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[41 - 3];
  expect(policyOf(stdout)).toBe(SCHED_IDLE);
  expect(policyOf(readFileSync('/proc/self/stat', 'utf8'))).not.toBe(SCHED_IDLE);
});

it('reads the same rows with pauses between them', async () => {
  const [table] = await listTables();
  if (!table) throw new Error('there is no table');
  const given: Lines[] = ['a\n', 'b\nc\n', 'd\n'].map((text) => ({ bytes: Buffer.from(text), rows: text.length / 2 }));
  const side = {
    async *lines() {
      yield* given;
    },
  } as unknown as CopySide;
  const read: Lines[] = [];
  for await (const lines of readSlowly(side).lines(table)) read.push(lines);
  expect(read).toEqual(given);
});

it('repeats a backup in the foreground when it does not end in the background', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-background-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [program, written] = [join(folder, 'program.mjs'), join(folder, 'written')];
  const script = `import { writeFileSync } from 'node:fs';
    if (process.argv.includes('--background')) setInterval(() => {}, 1000);
    else writeFileSync(${JSON.stringify(written)}, process.argv.slice(2).join(' '));`;
  writeFileSync(program, script);
  await backupProcess(program, process.env, 100)(new AbortController().signal);
  expect(readFileSync(written, 'utf8')).toBe('backup --json');
});

it('does not repeat a backup that fails in the background, and reports its reason', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-background-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    "process.stderr.write(process.argv.includes('--background') ? 'the disk is full\\n' : 'repeated\\n'); process.exit(2);",
  );
  await expect(backupProcess(program)(new AbortController().signal)).rejects.toThrow('the disk is full');
});
