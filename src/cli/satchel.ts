import { CommanderError } from 'commander';
import { errorMessage } from '../core/kernel/log.ts';
import { createProgram } from './program.ts';
import { EXIT, NotDone } from './verb.ts';

/** `satchel <noun> <verb>`: runs a command, or without arguments the service. */
async function main(given: readonly string[]): Promise<void> {
  const [first = 'serve', ...rest] = given[0] === 'help' && given.length > 1 ? [...given.slice(1), '--help'] : given;
  const isVersion = first === '--version' || first === '-V';
  try {
    await createProgram().parseAsync([isVersion ? 'version' : first, ...rest], { from: 'user' });
  } catch (error) {
    // The library has already printed its errors.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.notDone;
    else {
      process.stderr.write(`${error instanceof NotDone ? '' : 'Unexpected error: '}${errorMessage(error)}\n`);
      process.exitCode = EXIT.notDone;
    }
  }
}

await main(process.argv.slice(2));
