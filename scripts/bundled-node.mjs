// The Node that npm installs with Satchel. It is JavaScript that old versions can run, because install.mjs uses it before anything is installed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The npm package with Node for this machine; package.json has it only for the platforms that Satchel supports. */
export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** Returns whether `engines` of package.json accepts a version. Each of its ranges is `^24.22.1` or `>=26.12.1`. */
export function isAccepted(version, engines) {
  const [major, minor, patch] = version.replace(/^v/, '').split('.').map(Number);
  return engines.split('||').some((range) => {
    const [, operator, ...numbers] = /^\s*(\^|>=)(\d+)\.(\d+)\.(\d+)\s*$/.exec(range);
    const [fromMajor, fromMinor, fromPatch] = numbers.map(Number);
    if (major !== fromMajor) return operator === '>=' && major > fromMajor;
    return minor === fromMinor ? patch >= fromPatch : minor > fromMinor;
  });
}

/** Returns the path of the installed Node; undefined if npm has installed none. */
export function installedNode(root) {
  const path = join(root, 'node_modules', NODE_PACKAGE, 'bin', 'node');
  return existsSync(path) ? path : undefined;
}

/**
 * Installs only Node, in the version and with the hash that the lock file of `root` names, and runs `use` with its path. npm skips optional packages
 * that do not support the Node that runs it, so the packages must be installed with this one.
 */
export function withFetchedNode(root, runNpm, use) {
  const path = `node_modules/${NODE_PACKAGE}`;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[path];
  // A folder in `root`, because programs in the system's folder for temporary files may not be executable.
  const folder = mkdtempSync(join(root, '.node-'));
  try {
    const own = { name: 'bundled-node', version: '1.0.0', optionalDependencies: { [NODE_PACKAGE]: locked.version } };
    const packages = { '': own, [path]: locked };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...own, lockfileVersion: 3, requires: true, packages }));
    runNpm(process.execPath, folder, []);
    const node = installedNode(folder);
    // npm reports no error when an optional package cannot be installed.
    if (node === undefined) throw new Error(`npm has not installed ${NODE_PACKAGE} ${locked.version}`);
    execFileSync(node, ['--version'], { stdio: ['ignore', 'ignore', 'inherit'] });
    return use(node);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
