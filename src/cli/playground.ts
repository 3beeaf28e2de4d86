import type { Command } from 'commander';
import { verb } from './verb.ts';

export function addPlayground(program: Command): void {
  verb(program, {
    name: 'playground',
    summary: 'Run test nodes for several services',
    details: 'It prints a LIGHTNING_URL. Its settings are PLAYGROUND_PORT and PLAYGROUND_SECRET.',
    example: 'playground',
    hasJson: false,
  }).action(async () => {
    await import('./run-playground.ts');
  });
}
