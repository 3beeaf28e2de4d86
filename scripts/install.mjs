// Runs before the npm scripts, on Node 18 or later: installs the dependencies, including Node 24, if they are missing or differ from the lock file.
// `--development` also installs what tests and tools need. `--dashboard` then builds the dashboard if its sources have changed; a failure is
// a warning, or with `--strict` an error. With NODE_ENV=production, it installs nothing. Nothing is installed yet when it runs.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedNode, isAccepted, NODE_PACKAGE, withFetchedNode } from './bundled-node.mjs';
import { buildDashboard, isDashboardCurrent } from './dashboard.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isDevelopment = process.argv.includes('--development');
const isProduction = process.env.NODE_ENV === 'production' && !isDevelopment;

try {
  const mustBuild = process.argv.includes('--dashboard') && !isDashboardCurrent();
  if (!isInstalled(mustBuild)) install();
  if (mustBuild) build();
} catch (error) {
  // The folder may belong to another user.
  if (error.path === undefined) throw error;
  stop(`${error.path} cannot be read (${error.code}). Start Satchel as the user who owns ${root}, or let this user read the folder.`);
}

/**
 * Compares versions, not times: npm records in node_modules what it has installed, and a copy of the folder has the same record. The
 * dependencies of a package change only with its version, so the direct dependencies and all versions suffice.
 */
function isInstalled(mustBuild) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  const locked = packagesOf(join(root, 'package-lock.json'));
  if (`node_modules/${NODE_PACKAGE}` in locked && installedNode(root) === undefined) return false;
  const mustHaveTools = isDevelopment || (mustBuild && !isProduction);
  const names = Object.keys({
    ...locked[''].dependencies,
    ...(isDevelopment && locked[''].devDependencies),
    ...(mustHaveTools && locked.web.dependencies),
  });
  // npm skips these without an error if the Node that runs it is too old for them.
  const programs = Object.keys(locked).filter((path) => mustHaveTools && isProgramForThisMachine(locked[path]));
  if (!programs.every((path) => path in installed)) return false;
  const paths = Object.keys(installed).filter((path) => path in locked);
  return (
    names.every((name) => `node_modules/${name}` in installed) &&
    paths.every((path) => installed[path].version === locked[path].version && installed[path].integrity === locked[path].integrity)
  );
}

/** Returns whether an optional package contains a program, or a native library, for this machine. */
function isProgramForThisMachine({ optional, dev, os, cpu, libc }) {
  const accepts = (values, value) => values === undefined || [values].flat().includes(value);
  if (!optional || os === undefined || cpu === undefined || (dev && !isDevelopment)) return false;
  return accepts(os, process.platform) && accepts(cpu, process.arch) && accepts(libc, 'glibc');
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function install() {
  const scope = isDevelopment ? '--include=dev' : '--omit=dev';
  const remedy = `Run \`npm ci ${scope}\` in ${root} as the user who owns the folder, then try again.`;
  if (isProduction)
    stop(`The dependencies are missing or differ from package-lock.json, and NODE_ENV=production installs nothing. ${remedy}`);
  if (!isWritable(root)) stop(`The dependencies are missing or differ from package-lock.json, and ${root} is not writable. ${remedy}`);
  // To standard error, because a program may read the output of the command.
  console.error('Installing the dependencies of Satchel (once) …');
  const packages = packagesOf(join(root, 'package-lock.json'));
  const { engines } = packages[''];
  try {
    if (!engines || isAccepted(process.version, engines.node)) runNpm(process.execPath, root, [scope]);
    else if (`node_modules/${NODE_PACKAGE}` in packages) withFetchedNode(root, runNpm, (node) => runNpm(node, root, [scope]));
    else
      stop(`Satchel needs Node ${engines.node}, and brings none for ${process.platform} on ${process.arch}. Install it, then try again.`);
    linkNode();
  } catch {
    stop(`The dependencies could not be installed; npm's message is above. ${remedy}`);
  }
}

/** Links the installed Node as the one of npm's scripts. Old versions of npm do not, because the packages for other machines have the same command. */
function linkNode() {
  const node = installedNode(root);
  const link = join(root, 'node_modules', '.bin', 'node');
  if (node === undefined || existsSync(link)) return;
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), node), link);
}

/** Runs `npm ci` in a folder, with a Node that its scripts use, too. */
function runNpm(node, folder, args) {
  const npm = process.env.npm_execpath;
  const [command, first] = npm && /\.c?js$/.test(npm) ? [node, [npm]] : ['npm', []];
  execFileSync(command, [...first, 'ci', ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    stdio: ['inherit', 2, 'inherit'],
  });
}

/** The API works without the dashboard, so a start continues after a failed build; `--strict` is for who asked for the build. */
function build() {
  console.error('Building the dashboard …');
  try {
    buildDashboard();
  } catch (error) {
    const problem = `The dashboard is missing or old, because ${error.message}.`;
    if (process.argv.includes('--strict')) stop(problem);
    console.error(`${problem} Run \`npm run web\` in ${root} as the user who owns the folder.`);
  }
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
