import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Command, CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { candidates } from '../../src/cli/completion.ts';
import { recordsOf } from '../../src/cli/export.ts';
import { fitToTerminal, withoutControls } from '../../src/cli/output.ts';
import { createProgram } from '../../src/cli/program.ts';
import { runSatchel } from '../support/process.ts';

const program = createProgram();
const nouns = program.commands.filter((one) => !['help', 'complete'].includes(one.name()));
const all = nouns.flatMap((one) => [one, ...one.commands]);
const verbs = all.filter((one) => one.commands.length === 0);
const pathOf = (command: Command): string => (command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name());

/** Returns what `--help` or an error prints. */
async function printed(...args: string[]): Promise<string> {
  let text = '';
  const fresh = createProgram();
  const write = (more: string): void => {
    text += more;
  };
  for (const one of [fresh, ...fresh.commands, ...fresh.commands.flatMap(({ commands }) => commands)])
    one.configureOutput({ writeOut: write, writeErr: write });
  await fresh.parseAsync(args, { from: 'user' }).catch((error) => {
    if (!(error instanceof CommanderError)) text += error.message;
  });
  return text;
}

it.each(all.map((one) => [pathOf(one)]))('explains satchel %s in at most 24 lines of 80 columns, with an example', async (path) => {
  const help = await printed(...path.split(' '), '--help');
  const lines = help.trimEnd().split('\n');
  expect(lines.length, help).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(help).toMatch(new RegExp(`\n\nExample:\n  satchel ${path}`));
});

it('shows the help of a command after `help`, too', async () => {
  const { code, stdout } = await runSatchel(['help', 'account', 'create'], {});
  expect({ code, stdout }).toEqual({ code: 0, stdout: await printed('account', 'create', '--help') });
});

it('names the format of lists for programs, and how a node is added', async () => {
  for (const one of verbs.filter((each) => each.name() === 'list')) expect(one.helpInformation()).toContain('JSON Lines');
  expect(await printed('node', '--help')).toContain('LIGHTNING_URL');
});

it('creates no database where the file of DATABASE_URL is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-cli-'));
  const { code, output } = await runSatchel(['restore', 'mark', '--as-of', '2026-11-24T01:02:03Z'], {
    DATA_DIR: folder,
    DATABASE_URL: `sqlite:${join(folder, 'mistyped.db')}`,
  });
  expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('There is no database at') });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

it('gives every example a command that exists, with options that exist', async () => {
  for (const one of all) {
    const example = (await printed(...pathOf(one).split(' '), '--help')).split('  satchel ').at(-1) ?? '';
    const [first, second] = example.trim().split(' ');
    const found = program.commands.find((each) => each.name() === first);
    const command = found?.commands.find((each) => each.name() === second) ?? found;
    const options = command?.options.map(({ long }) => long) ?? [];
    expect([example.match(/--[a-z-]+/g) ?? []].flat().filter((option) => !options.includes(option))).toEqual([]);
  }
});

it('has every command and option that the documents name', () => {
  const root = join(import.meta.dirname, '..', '..');
  const unknown: string[] = [];
  let found = 0;
  for (const page of globSync(['*.md', 'docs/**/*.md', 'ops/**/*.md', 'client/*.md'], { cwd: root })) {
    const text = readFileSync(join(root, page), 'utf8');
    const code = [...text.matchAll(/```[a-z]*\n([\s\S]*?)```/g), ...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)];
    // In commands of docker, the name of the container comes first.
    const commands = code.flatMap(([, block = '']) => [...block.matchAll(/(?:^|[\s/])satchel (?:satchel )?([a-z][^\n#|]*)/g)]);
    for (const [, words = ''] of commands) {
      found += 1;
      const [first, second] = words.split(/\s+/);
      const noun = program.commands.find((each) => each.name() === first);
      const command = noun?.commands.find((each) => each.name() === second) ?? noun;
      const options = ['--help', ...(command?.options ?? []).map(({ long }) => long)];
      const isVerbUnknown = noun === command && noun?.commands.length !== 0 && /^[a-z]/.test(second ?? '');
      if (!command || isVerbUnknown || [words.match(/--[a-z][a-z-]*/g) ?? []].flat().some((option) => !options.includes(option)))
        unknown.push(`${page}: satchel ${words}`);
    }
  }
  expect(unknown).toEqual([]);
  expect(found).toBeGreaterThan(40);
});

it('describes every command, argument and option', () => {
  const options = all.flatMap((one) => one.options.map(({ long, description }) => [pathOf(one), long, description]));
  const args = all.flatMap((one) => one.registeredArguments.map((arg) => [pathOf(one), arg.name(), arg.description]));
  const commands = all.map((one) => [pathOf(one), one.summary(), one.description()]);
  expect([...options, ...args, ...commands].filter((row) => row.some((text) => !text))).toEqual([]);
});

it('takes --json in every command that has a result', () => {
  const without = verbs.filter((one) => !one.options.some(({ long }) => long === '--json'));
  expect(without.map(pathOf)).toEqual(['serve', 'playground', 'completion']);
});

it('takes no key, token or password as an argument or the value of an option', () => {
  const given = verbs.flatMap((one) => [
    ...one.registeredArguments.map((arg) => `${arg.name()}: ${arg.description}`),
    ...one.options.filter(({ required }) => required).map(({ long, description }) => `${long}: ${description}`),
  ]);
  const secrets = new Set(given.filter((text) => /^[^:]*(secret|password|token|key|macaroon|rune)/i.test(text)));
  expect([...secrets].sort()).toEqual([
    '--key-file: a file with the secret API key, - for standard input (default: OPERATOR_KEY, then DATA_DIR/first-key)',
    'key: the id of the key, not the key itself',
  ]);
});

it('suggests the nearest command, and names the help', async () => {
  expect(await printed('paymnt')).toBe("Unknown command 'paymnt'. Did you mean payment?\nSee `satchel --help`.\n");
  expect(await printed('node', 'lst')).toBe("Unknown command 'lst'. Did you mean list?\nSee `satchel node --help`.\n");
  expect(await printed('verify', '--jsn')).toBe("Unknown option '--jsn'. Did you mean --json?\nSee `satchel verify --help`.\n");
});

it.each([
  ['sak_AbCdEfGhIjKlMnOpQrStUvWxYz01'],
  ['verify', 'sak_AbCdEfGhIjKlMnOpQrStUvWxYz01'],
  ['key', 'sak_AbCdEfGhIjKlMnOpQrStUvWxYz01'],
  ['payment', 'show', 'sak_AbCdEfGhIjKlMnOpQrStUvWxYz01'],
  ['key', 'create', '--kind', 'sak_AbCdEfGhIjKlMnOpQrStUvWxYz01'],
  ['verify', '--sak_AbCdEfGhIjKlMnOpQrStUvWxYz01'],
])('does not repeat a key in the wrong place: %j', async (...args) => {
  const text = await printed(...args);
  expect(text).toMatch(/^[A-Z].+\./);
  expect(text).not.toContain('AbCdEfGh');
});

it('completes nouns, verbs, options and fixed values', () => {
  const words = (...typed: string[]) => candidates(program, typed).map((one) => one.split('\t')[0]);
  expect(words('pay')).toEqual(['payment']);
  expect(words('payment', '')).toEqual(['list', 'show', 'resolve']);
  expect(words('payment', 'resolve', 'lntx_1', '--f')).toEqual(['--failed']);
  expect(words('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(words('')).not.toContain('complete');
});

it('shortens lines to the width of a terminal, and to nothing else', () => {
  expect(fitToTerminal('wal_1  a long label\nwal_2', 10)).toBe('wal_1  a …\nwal_2');
  expect(fitToTerminal('wal_1  a long label', undefined)).toBe('wal_1  a long label');
});

it('removes control characters, which a terminal would obey, and keeps line breaks of texts', () => {
  expect(withoutControls('a\u001b[31mb\u009b1mc\nd')).toBe('a [31mb 1mc\nd');
  expect(withoutControls('a\nb', ' ')).toBe('a b');
});

it('splits CSV into records, wherever the pieces end', async () => {
  const text = 'time,label\r\n1,"two\r\nlines, ""quoted"""\r\n2,plain\r\n';
  for (let size = 1; size <= text.length; size++) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const records: string[] = [];
    for await (const record of recordsOf(Readable.from(pieces))) records.push(record);
    expect(records).toEqual(['time,label\r\n', '1,"two\r\nlines, ""quoted"""\r\n', '2,plain\r\n']);
  }
});

it.each(['bash', 'zsh', 'fish'])('prints a completion script for %s that calls satchel complete', async (shell) => {
  const { stdout } = await runSatchel(['completion', shell], {});
  expect(stdout).toContain(' complete -- ');
});

it.skipIf(spawnSync('bash', ['-c', 'type compgen']).status !== 0)('completes in bash', async () => {
  const { stdout: script } = await runSatchel(['completion', 'bash'], {});
  const run = `satchel() { '${process.execPath}' src/cli/satchel.ts "$@"; }\n${script}
COMP_WORDS=(satchel payment re); COMP_CWORD=2; _satchel; echo "\${COMPREPLY[@]}"
COMP_WORDS=(satchel payment resolve --f); COMP_CWORD=3; _satchel; echo "\${COMPREPLY[@]}"`;
  expect(spawnSync('bash', ['-c', run]).stdout.toString()).toBe('resolve\n--failed\n');
});
