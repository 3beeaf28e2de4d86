// Runs before every npm script, on any version of Node: installs the dependencies, including Node 24, if they are missing or older
// than the lock file. With `--development`, it also installs what tests and tools need. It is JavaScript that old versions can run, because
// nothing is installed yet.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');
const node = join(root, 'node_modules', '.bin', 'node');

const forDevelopment = process.argv.includes('--development');
const required = [installed, node, ...(forDevelopment ? [join(root, 'node_modules', 'vitest')] : [])];

const isCurrent = required.every((path) => existsSync(path)) && statSync(installed).mtimeMs >= statSync(lockFile).mtimeMs;

if (!isCurrent) {
  // To standard error, because a program may read the output of the command.
  console.error('Installing the dependencies of Satchel (once) …');
  const npm = process.env.npm_execpath;
  const [command, first] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
  // The option decides, not NODE_ENV.
  const scope = forDevelopment ? '--include=dev' : '--omit=dev';
  execFileSync(command, [...first, 'ci', scope, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['inherit', 2, 'inherit'],
  });
}
