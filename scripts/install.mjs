// Runs before the npm scripts, on any version of Node: installs the dependencies, including Node 24, if they are missing or differ from the
// lock file. `--development` also installs what tests and tools need. `--dashboard` then builds the dashboard if its sources have changed.
// With NODE_ENV=production, it installs nothing. It is JavaScript that old versions can run, because nothing is installed yet.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDashboard, isDashboardCurrent } from './dashboard.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isDevelopment = process.argv.includes('--development');
const isProduction = process.env.NODE_ENV === 'production' && !isDevelopment;

try {
  const mustBuild = process.argv.includes('--dashboard') && !isDashboardCurrent();
  if (!isInstalled(mustBuild)) install();
  if (mustBuild) buildOrWarn();
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
  if (!existsSync(record) || !existsSync(join(root, 'node_modules', '.bin', 'node'))) return false;
  const installed = packagesOf(record);
  const locked = packagesOf(join(root, 'package-lock.json'));
  const names = Object.keys({
    ...locked[''].dependencies,
    ...locked[''].optionalDependencies,
    ...(isDevelopment && locked[''].devDependencies),
    ...((isDevelopment || (mustBuild && !isProduction)) && locked.web.dependencies),
  });
  const paths = Object.keys(installed).filter((path) => path in locked);
  return (
    names.every((name) => `node_modules/${name}` in installed) &&
    paths.every((path) => installed[path].version === locked[path].version && installed[path].integrity === locked[path].integrity)
  );
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
  const npm = process.env.npm_execpath;
  const [command, first] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
  try {
    execFileSync(command, [...first, 'ci', scope, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['inherit', 2, 'inherit'],
    });
  } catch {
    stop(`The dependencies could not be installed; npm's message is above. ${remedy}`);
  }
}

/** The API works without the dashboard, so a start continues after a failed build. */
function buildOrWarn() {
  console.error('Building the dashboard …');
  try {
    buildDashboard();
  } catch (error) {
    console.error(
      `The dashboard is missing or old, because ${error.message}. Run \`npm run web\` in ${root} as the user who owns the folder.`,
    );
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
