import type { Command } from 'commander';
import { action, EXIT, verb } from './verb.ts';

/** `satchel version`, and `satchel --version`. */
export function addVersion(program: Command): void {
  verb(program, { name: 'version', summary: 'Print the version', example: 'version --json' }).action(
    action(async ({ output }) => {
      const { readVersion } = await import('../version.ts');
      const version = await readVersion(process.env.COMMIT?.trim() || undefined);
      await output.print(version, `${version.version}${version.commit === null ? '' : ` (${version.commit})`}`);
      return EXIT.done;
    }),
  );
}
