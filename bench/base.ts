import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Run } from './run.ts';

const ROOT = join(import.meta.dirname, '..');

/** A commit of this repository, checked out and installed in a folder of the run. */
export interface Base {
  readonly folder: string;
  /** Its abbreviated hash. */
  readonly commit: string;
}

/** Checks out a commit into a clone of this one, and installs what its service needs. @throws when `revision` names no commit */
export function checkOut(run: Run, revision: string): Base {
  const commit = git(ROOT, 'rev-parse', '--short', '--verify', `${revision}^{commit}`);
  const folder = join(run.folder(), commit);
  git(ROOT, 'clone', '--quiet', '--shared', '--no-checkout', ROOT, folder);
  git(folder, 'checkout', '--quiet', '--detach', commit);
  run.progress(`installing ${commit}`);
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  return { folder, commit };
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
