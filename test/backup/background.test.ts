import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readSlowly } from '../../src/features/backup/background.ts';
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
