import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Run } from './run.ts';

const ROOT = join(import.meta.dirname, '..');

/** A commit of this repository, checked out and installed in a temporary folder. */
export interface Base {
  readonly folder: string;
  /** Its abbreviated hash. */
  readonly commit: string;
  remove(): void;
}

/** Checks out a commit beside this clone, and installs what its service needs. @throws when there is no such commit. */
export async function checkOut(run: Run, revision: string): Promise<Base> {
  const commit = git('rev-parse', '--short', '--verify', `${revision}^{commit}`);
  const folder = join(run.folder(), commit);
  git('worktree', 'add', '--quiet', '--detach', folder, commit);
  const remove = () => void git('worktree', 'remove', '--force', folder);
  try {
    run.progress(`installing ${commit}`);
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, commit, remove };
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
