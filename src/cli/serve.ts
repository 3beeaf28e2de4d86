import type { Command } from 'commander';
import { verb } from './verb.ts';

/** `satchel serve`, and `satchel` without arguments. */
export function addServe(program: Command): void {
  verb(program, {
    name: 'serve',
    summary: 'Start the service',
    details: 'It stops after SIGTERM or SIGINT. docs/configuration.md lists the settings.',
    example: 'serve',
    hasJson: false,
  }).action(async () => {
    await import('../main.ts');
  });
}
