import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { errorMessage } from '../core/kernel/log.ts';
import { createOutput, type Output } from './output.ts';

/** The exit codes of all commands. `refused` also stands for differences that a check found. */
export const EXIT = { done: 0, refused: 1, notDone: 2, pending: 3 } as const;

/** Ends a command with exit code 2. The message has the reason and the next step. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** Ends a command that was not confirmed. The message is complete. */
class NotConfirmed extends NotDone {}

interface Verb {
  readonly name: string;
  readonly summary: string;
  /** More sentences for the help. */
  readonly details?: string;
  /** A call without the leading `satchel`. */
  readonly example: string;
  /** Whether the command has a result that programs read. Default: true. */
  readonly hasJson?: boolean;
}

/** Adds a noun with its verbs. */
export function noun(program: Command, name: string, summary: string, example: string, details = ''): Command {
  const command = program.command(name).summary(summary).description(`${summary}. ${details}`.trim()).usage('<command>');
  command.addHelpText('after', `\nExample:\n  satchel ${example}`);
  return withHint(command, name);
}

/** Adds a verb, or a command without verbs, to a noun or the program. The caller chains its arguments, options and action. */
export function verb(parent: Command, { name, summary, details, example, hasJson = true }: Verb): Command {
  const command = parent.command(name).summary(summary);
  command.description(details === undefined ? `${summary}.` : `${summary}. ${details}`);
  if (hasJson) command.option('--json', name === 'list' ? 'print JSON Lines: one object per line' : 'print JSON');
  command.addHelpText('after', `\nExample:\n  satchel ${example}`);
  return withHint(command, parent.parent ? `${parent.name()} ${name}` : name);
}

function withHint(command: Command, path: string): Command {
  return command.showHelpAfterError(`See \`satchel ${path} --help\`.`);
}

export interface Call<Options> {
  readonly args: readonly string[];
  readonly options: Options;
  readonly output: Output;
}

/** Returns the action of a command. `work` returns the exit code. */
export function action<Options extends object = object>(work: (call: Call<Options>) => Promise<number>) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const options = command.opts<Options & { json?: boolean }>();
    const output = createOutput({ isJson: options.json === true });
    process.exitCode = await work({ args: command.processedArgs as string[], options, output });
    await output.flush();
  };
}

/** Same as `action`, for commands without the service: an error means that something was not done. */
export function localAction<Options extends object = object>(notDone: string, work: (call: Call<Options>) => Promise<number>) {
  return action<Options>(async (call) => {
    try {
      return await work(call);
    } catch (error) {
      throw error instanceof NotConfirmed ? error : new NotDone(`${notDone}${errorMessage(error)}`);
    }
  });
}

const MAX_REASON = 500;

/** Adds the options of a command that is recorded with its reason. */
export function withReason(command: Command): Command {
  return command.requiredOption('--reason <text>', 'required: why, for the record, 1 to 500 characters', parseReason);
}

export function parseReason(given: string): string {
  const reason = given.trim();
  if (reason === '' || reason.length > MAX_REASON) throw new NotDone(`--reason must have 1 to ${MAX_REASON} characters.`);
  return reason;
}

/** Adds the option that confirms a command which cannot be undone. */
export function withConfirmation(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation');
}

/** Shows what a command will do. Continues with --yes, or when `yes` is typed. @throws NotDone */
export async function confirm(plan: string, { yes }: { readonly yes?: boolean }): Promise<void> {
  if (yes) return;
  process.stderr.write(`${plan}\nThis cannot be undone.\n`);
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new NotConfirmed('Nothing was done: add --yes to confirm.');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await prompt.question('Type yes to continue: ');
  prompt.close();
  if (typed.trim() !== 'yes') throw new NotConfirmed('Nothing was done.');
}

const IDS = { acc: 'account', key: 'key', lnd: 'node', lntx: 'payment', nwc: 'app', wal: 'wallet' } as const;

/** Returns a parser that accepts 32 bytes in hex, such as a payment hash, as they were typed. `message`: what is wrong with other texts. */
export function hexParser(message: string) {
  return (text: string): string => {
    if (/^[0-9a-f]{64}$/i.test(text)) return text;
    throw new NotDone(message);
  };
}

/** Returns a parser of ids with a prefix. Its error never contains the text, which may be a key; a key would be in the service's records. */
export function idParser(prefix: keyof typeof IDS) {
  return (text: string): string => {
    if (new RegExp(`^${prefix}_[0-9A-Za-z]+$`).test(text)) return text;
    const name = IDS[prefix];
    const isListed = prefix === 'lntx' ? 'lists the pending payments' : `lists the ${name}s`;
    throw new NotDone(`The ${name} must be an id (${prefix}_…), not a key or a name. \`satchel ${name} list\` ${isListed}.`);
  };
}
