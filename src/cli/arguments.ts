import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * The options of a command, and at most `maxWords` words besides. Prints its usage and ends the process, with 0 for `--help`, and with 2
 * for anything that it does not know: whoever mistypes an option must not take what was done instead for what they asked.
 */
export function readArguments<T extends ParseArgsOptionsConfig>(usage: string, options: T, maxWords = 0) {
  const { values, positionals: words } = parse(usage, { ...options, help: { type: 'boolean' } });
  if ('help' in values) {
    process.stdout.write(`Usage: ${usage}\n`);
    process.exit(0);
  }
  if (words.length > maxWords) refuse(usage);
  return { ...values, words };
}

function parse<T extends ParseArgsOptionsConfig>(usage: string, options: T) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch {
    return refuse(usage);
  }
}

/** What was given is not repeated: it may be a key. */
export function refuse(usage: string): never {
  process.stderr.write(`Usage: ${usage}\n`);
  process.exit(2);
}
