import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = join(import.meta.dirname, '..', '..');

/** A small clone with its own lock file, and an npm that notes its arguments instead of installing. */
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'satchel-install-'));
  cpSync(join(repository, 'scripts'), join(root, 'scripts'), { recursive: true });
  write('npm.cjs', `require('node:fs').appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');`);
  lock({ fastify: '5.0.0', vitest: '4.0.0', vite: '8.0.0' });
  record({ fastify: '5.0.0', vitest: '4.0.0', vite: '8.0.0' });
  write('client/satchel.js', 'export const answer = 42;');
  write('src/core/kernel/payment-text.ts', '// The dashboard recognizes the same texts.');
  write('src/core/alerts/alert-texts.ts', '// The dashboard shows them, too.');
  write('web/package.json', '{"type":"module"}');
  write('web/index.html', '<script type="module" src="/src/main.js"></script>');
  write('web/src/main.js', `import { answer } from '../../client/satchel.js'; document.title = 'first ' + answer;`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function packages(versions: Readonly<Record<string, string>>): Record<string, { version: string }> {
  return Object.fromEntries(Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]));
}

/** Writes package-lock.json. fastify is a dependency of the service, vitest of development, vite of the dashboard. */
function lock(versions: Readonly<Record<string, string>>): void {
  const own = { '': { dependencies: { fastify: '*' }, devDependencies: { vitest: '*' } }, web: { dependencies: { vite: '*' } } };
  write('package-lock.json', JSON.stringify({ packages: { ...own, ...packages(versions) } }));
}

/** Writes npm's record of what is installed. */
function record(versions: Readonly<Record<string, string>>): void {
  write('node_modules/.package-lock.json', JSON.stringify({ packages: packages(versions) }));
}

/** Links the packages that build the dashboard. */
function linkBuildTools(): void {
  mkdirSync(join(root, 'node_modules', '@scalar'), { recursive: true });
  for (const name of ['vite', 'fastify', '@scalar/fastify-api-reference'])
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name));
}

/** Runs the script as the npm scripts do. */
async function install(
  args: string[],
  env: Record<string, string> = {},
  user: { uid?: number; gid?: number } = {},
): Promise<{ code: number; printed: string; npm: string[] }> {
  const script = join(root, 'scripts', 'install.mjs');
  const settings = { PATH: process.env.PATH, npm_execpath: join(root, 'npm.cjs'), ...env };
  const ended = await promisify(execFile)(process.execPath, [script, ...args], { env: settings, cwd: root, ...user }).then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, printed: stdout + stderr }),
  );
  const calls = join(root, 'npm-calls');
  return { ...ended, npm: existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [] };
}

function builtScript(): string {
  const page = readFileSync(join(root, 'web', 'dist', 'index.html'), 'utf8');
  const [, script = ''] = /src="([^"]+\.js)"/.exec(page) ?? [];
  return readFileSync(join(root, 'web', 'dist', script), 'utf8');
}

it('installs nothing when only the times of the files differ', async () => {
  utimesSync(join(root, 'node_modules', '.package-lock.json'), 0, 0);
  expect(await install(['--development'])).toEqual({ code: 0, printed: '', npm: [] });
});

it.each([
  ['a dependency has another version', { fastify: '4.9.9', vitest: '4.0.0', vite: '8.0.0' }, [], 'ci --omit=dev'],
  ['the tests need a package that is missing', { fastify: '5.0.0', vite: '8.0.0' }, ['--development'], 'ci --include=dev'],
  ['the dashboard must be built and its packages are missing', { fastify: '5.0.0' }, ['--dashboard'], 'ci --omit=dev'],
])('installs the dependencies when %s', async (_reason, installed, args, call) => {
  record(installed);
  expect((await install(args)).npm).toEqual([expect.stringContaining(call)]);
});

/** Writes a lock file that has Node for this machine, and programs of the dashboard's build for two machines. */
function lockNode(accepted: string): void {
  const { platform, arch } = process;
  const forThisMachine = { version: '9.9.9', optional: true, os: platform, cpu: [arch] };
  write(
    'package-lock.json',
    JSON.stringify({
      packages: {
        '': { dependencies: { fastify: '*' }, engines: { node: accepted } },
        web: { dependencies: { vite: '*' } },
        ...packages({ fastify: '5.0.0', vite: '8.0.0' }),
        [`node_modules/node-${platform}-${arch}`]: forThisMachine,
        'node_modules/builder-of-this-machine': forThisMachine,
        'node_modules/builder-of-another-machine': { ...forThisMachine, cpu: ['mips'] },
      },
    }),
  );
}

/** Replaces npm by one that installs Node, and notes which Node runs it, with which arguments, in which folder. */
function useInstallingNpm(): void {
  write(
    'npm.cjs',
    `const { appendFileSync, mkdirSync, readFileSync, symlinkSync } = require('node:fs');
    const { dirname, join } = require('node:path');
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const found = join('node_modules', 'node-' + process.platform + '-' + process.arch, 'bin', 'node');
    mkdirSync(dirname(found), { recursive: true });
    mkdirSync(join('node_modules', '.bin'), { recursive: true });
    symlinkSync(${JSON.stringify(process.execPath)}, found);
    const names = Object.keys(packages).filter((path) => path.startsWith('node_modules/')).map((path) => path.slice(13));
    const node = process.env.PATH.split(':')[0].replace(${JSON.stringify(root)}, '').replace(/-\\w{6}\\//, '-x/');
    appendFileSync(${JSON.stringify(join(root, 'npm-calls'))}, node + ': ' + names.join(' ') + '\\n');`,
  );
}

it('installs the packages with the Node of the lock file when that of the system is too old for them', async () => {
  lockNode('>=99.0.0');
  record({});
  useInstallingNpm();
  const { code, npm } = await install([]);
  const node = `node-${process.platform}-${process.arch}`;
  expect({ code, npm }).toEqual({
    code: 0,
    npm: [
      `${dirname(process.execPath)}: ${node}`,
      `/.node-x/node_modules/${node}/bin: fastify vite ${node} builder-of-this-machine builder-of-another-machine`,
    ],
  });
  expect(readdirSync(root).filter((name) => name.startsWith('.node-'))).toEqual([]);
  expect(execFileSync(join(root, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
});

it('installs the packages with the Node of the system when it has all security fixes', async () => {
  lockNode('^24.0.0 || >=26.0.0');
  record({});
  useInstallingNpm();
  expect((await install([])).npm).toEqual([expect.stringMatching(new RegExp(`^${dirname(process.execPath)}: fastify `))]);
});

it.each([
  ['is missing', { fastify: '5.0.0', vite: '8.0.0' }, 1],
  ['is there', { fastify: '5.0.0', vite: '8.0.0', 'builder-of-this-machine': '9.9.9' }, 0],
])(
  'installs again before a build when a program of this machine %s, because npm skips it with an old Node',
  async (_state, installed, calls) => {
    lockNode('>=18.0.0');
    linkBuildTools();
    const node = `node-${process.platform}-${process.arch}`;
    record({ ...installed, [node]: '9.9.9' });
    mkdirSync(join(root, 'node_modules', node, 'bin'), { recursive: true });
    symlinkSync(process.execPath, join(root, 'node_modules', node, 'bin', 'node'));
    expect((await install(['--dashboard'])).npm).toHaveLength(calls);
  },
);

it('does not install packages that the script does not need', async () => {
  record({ fastify: '5.0.0' });
  expect(await install([])).toEqual({ code: 0, printed: '', npm: [] });
});

it('installs nothing in production, and names the remedy in a sentence', async () => {
  record({ fastify: '4.9.9' });
  const { code, printed, npm } = await install([], { NODE_ENV: 'production' });
  expect({ code, npm }).toEqual({ code: 1, npm: [] });
  expect(printed).toBe(
    'The dependencies are missing or differ from package-lock.json, and NODE_ENV=production installs nothing. ' +
      `Run \`npm ci --omit=dev\` in ${root} as the user who owns the folder, then try again.\n`,
  );
});

it('ends with a sentence, not a stack trace, when npm fails', async () => {
  record({});
  write('npm.cjs', `console.error('npm error EACCES'); process.exit(243);`);
  const { code, printed } = await install([]);
  expect(code).toBe(1);
  expect(printed).toContain("The dependencies could not be installed; npm's message is above. Run `npm ci --omit=dev` in");
  expect(printed).not.toContain('    at ');
});

it('builds the dashboard when it is missing and when its sources or the client change, and not otherwise', async () => {
  linkBuildTools();
  expect(await install(['--dashboard'])).toEqual({ code: 0, printed: 'Building the dashboard …\n', npm: [] });
  expect(builtScript()).toContain('first');
  expect(await install(['--dashboard'])).toEqual({ code: 0, printed: '', npm: [] });
  write('web/src/main.js', `import { answer } from '../../client/satchel.js'; document.title = 'second ' + answer;`);
  expect((await install(['--dashboard'])).printed).toBe('Building the dashboard …\n');
  expect(builtScript()).toContain('second');
  write('client/satchel.js', 'export const answer = 43;');
  await install(['--dashboard']);
  expect(builtScript()).toContain('43');
});

it('leaves one whole dashboard after builds at the same time', async () => {
  linkBuildTools();
  const starts = await Promise.all(Array.from({ length: 4 }, () => install(['--dashboard'])));
  // A slow start finds the dashboard of another one, and builds nothing.
  for (const { code, printed } of starts) expect([code, printed.replace('Building the dashboard …\n', '')]).toEqual([0, '']);
  expect(builtScript()).toContain('first');
  expect(await install(['--dashboard'])).toEqual({ code: 0, printed: '', npm: [] });
});

it('ends with an error when the dashboard cannot be built and `npm run web` asked for it', async () => {
  const { code, printed } = await install(['--dashboard', '--strict']);
  expect({ code, printed }).toEqual({
    code: 1,
    printed: 'Building the dashboard …\nThe dashboard is missing or old, because the packages that build it are not installed.\n',
  });
});

it('builds nothing when the dashboard came without its sources', async () => {
  rmSync(join(root, 'web', 'src'), { recursive: true });
  write('web/dist/index.html', 'packaged');
  expect(await install(['--dashboard'])).toEqual({ code: 0, printed: '', npm: [] });
  expect(readFileSync(join(root, 'web', 'dist', 'index.html'), 'utf8')).toBe('packaged');
});

it('starts with a sentence when the dashboard cannot be built', async () => {
  const { code, printed } = await install(['--dashboard']);
  expect(code).toBe(0);
  expect(printed).toContain('The dashboard is missing or old, because the packages that build it are not installed. Run `npm run web`');
});

/** Only root can become another user. */
describe.skipIf(process.getuid?.() !== 0)('a start as another user than the owner of the folder (needs root)', () => {
  const nobody = { uid: 65_534, gid: 65_534 };
  beforeEach(() => chmodSync(root, 0o755));

  it('names the remedy in a sentence when dependencies are missing, and installs nothing', async () => {
    record({});
    expect(await install(['--dashboard'], {}, nobody)).toEqual({
      code: 1,
      npm: [],
      printed:
        `The dependencies are missing or differ from package-lock.json, and ${root} is not writable. ` +
        `Run \`npm ci --omit=dev\` in ${root} as the user who owns the folder, then try again.\n`,
    });
  });

  it('starts with a sentence when the dashboard cannot be built', async () => {
    linkBuildTools();
    const { code, printed } = await install(['--dashboard'], {}, nobody);
    expect({ code, printed }).toEqual({
      code: 0,
      printed:
        `Building the dashboard …\nThe dashboard is missing or old, because ${join(root, 'web')} is not writable (EACCES). ` +
        `Run \`npm run web\` in ${root} as the user who owns the folder.\n`,
    });
  });

  it.each(['package-lock.json', 'node_modules/.package-lock.json', 'web/src/main.js'])(
    'ends with a sentence, not a stack trace, when only the owner may read %s',
    async (path) => {
      chmodSync(join(root, path), 0o600);
      expect(await install(['--dashboard'], {}, nobody)).toEqual({
        code: 1,
        npm: [],
        printed: `${join(root, path)} cannot be read (EACCES). Start Satchel as the user who owns ${root}, or let this user read the folder.\n`,
      });
    },
  );

  it('ends with a sentence, not a stack trace, when only the owner may write to the folder with the data', async () => {
    const dataDir = join(root, 'data');
    mkdirSync(dataDir);
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, LIGHTNING_URL: 'fake:', PORT: '0' };
    const ended = promisify(execFile)(join(repository, 'bin', 'satchel'), [], { env, ...nobody }).catch((error) => error);
    expect(await ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'Satchel cannot start: DATA_DIR must be a folder that this user can write to, or a path where this user can create one (EACCES).\n',
    });
  });
});
