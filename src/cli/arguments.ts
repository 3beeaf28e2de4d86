import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * The options of a command. Prints its usage and ends the process, with 0 for `--help`, and with 2 for anything that it does not know:
 * whoever mistypes an option must not take what was done instead for what they asked.
 */
export function readArguments<T extends ParseArgsOptionsConfig>(usage: string, options: T) {
  const { values } = parse(usage, { ...options, help: { type: 'boolean' } });
  if ('help' in values) {
    process.stdout.write(`Usage: ${usage}\n`);
    process.exit(0);
  }
  return values;
}

function parse<T extends ParseArgsOptionsConfig>(usage: string, options: T) {
  try {
    return parseArgs({ options });
  } catch {
    process.stderr.write(`Usage: ${usage}\n`);
    process.exit(2);
  }
}
