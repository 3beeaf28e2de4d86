import { type Command, CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { candidates } from '../../src/cli/completion.ts';
import { fitToTerminal } from '../../src/cli/output.ts';
import { createProgram } from '../../src/cli/program.ts';

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
    '--key-file: read the secret API key from a file; - is standard input',
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
