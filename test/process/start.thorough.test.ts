import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startChild, startCommand } from '../devnet/playground/support/shared.ts';
import { Browser } from '../support/browser.ts';
import { clientOf } from '../support/client.ts';
import { processSettings, type ServiceProcess, startProcess } from '../support/process.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** Whether `script` (util-linux) is installed, which runs a command in a terminal. */
const hasScript = spawnSync('script', ['--version']).status === 0;

/** Returns the files and folders that other users than the owner may read. */
function expectClosed(dataDir: string): void {
  const names = readdirSync(dataDir);
  expect(names.length).toBeGreaterThan(1);
  expect(['.', ...names].filter((name) => statSync(join(dataDir, name)).mode & 0o077)).toEqual([]);
}

describe('a start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-start-'));
  const services: ServiceProcess[] = [];
  const playground = startChild('src/cli/satchel.ts', ['playground'], { DATA_DIR: join(folder, 'playground'), PLAYGROUND_PORT: '0' });
  const waiting = startChild('src/main.ts', [], {
    DATA_DIR: join(folder, 'waiting'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    LIGHTNING_URL: 'playground://127.0.0.1:1?secret=nobody-listens-there',
    KEYSEND_WALLET_ID: 'wal_0nobody0has0this0id',
  });
  const start = async (settings: Record<string, string>) => {
    const service = await startProcess(settings);
    services.push(service);
    return service;
  };
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** Pastes the commands that the service printed into a shell in another folder. */
  async function paste(service: ServiceProcess, env: Record<string, string> = {}): Promise<string> {
    const commands = service.output().slice(service.output().indexOf('\nKEY='));
    return (await run('bash', ['-c', commands], { cwd: folder, env: { ...process.env, ...env } })).stdout;
  }

  it('names the file with the first keys, and prints commands that work when pasted, on every start', async () => {
    const dataDir = join(folder, 'first');
    // As with the default DATA_DIR, the path is relative to the folder of the service.
    const settings = { ...(await processSettings(dataDir, `sqlite:${join(dataDir, 'satchel.db')}`)), DATA_DIR: relative(root, dataDir) };
    const first = await start(settings);
    expect(first.output()).toContain(`Your keys are in ${join(folder, 'first', 'first-key')}, which only you can read.`);
    expect(first.output()).not.toContain(first.client.secretKey);
    expect(first.output()).not.toContain(first.client.publicKey);
    expectClosed(join(folder, 'first'));
    expect(await paste(first)).toContain('{"user_label":"first","balance":5000}');
    const before = await first.client.get('/v1/wallets');
    expect(await first.stop()).toBe(0);

    const second = await start(settings);
    expect(second.output()).not.toContain('Your keys');
    expect(second.output()).not.toContain(second.client.secretKey);
    expect(await second.client.get('/v1/wallets')).toEqual(before);
    expect(await paste(second)).toContain('"balance":5000');
    expect(await second.client.get('/v1/wallets')).toHaveLength(2);

    const intruder = await startProcess({ ...settings, PORT: '0' }).catch((error: Error) => error.message);
    expect(intruder).toContain('Another Satchel is using');
  });

  it('writes a new setup link to a file on each start, until an operator can log in', async () => {
    const dataDir = join(folder, 'setup');
    const file = join(dataDir, 'setup-link');
    const own = await processSettings(dataDir, `sqlite:${join(dataDir, 'satchel.db')}`);
    const settings = { ...own, PUBLIC_URL: '', LOG_LEVEL: 'trace', LIGHTNING_URL: 'fake:?seed=1' };
    const first = await start(settings);
    const old = readFileSync(file, 'utf8').trim();
    expect(old).toMatch(new RegExp(`^http://localhost:${own.PORT}/setup#[\\w-]{43}$`));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(first.output()).toContain(`is in ${file}, which only you can read.`);
    expect(first.output()).not.toContain(new URL(old).hash.slice(1));
    await first.stop();

    const second = await start(settings);
    const url = readFileSync(file, 'utf8').trim();
    expect(url).not.toBe(old);
    const browser = new Browser(second.client);
    const setUp = (link: string) =>
      browser.send('POST', '/v1/session/setup', {
        token: new URL(link).hash.slice(1),
        email: 'ada@example.com',
        password: 'a long password',
      });
    expect((await setUp(old)).status).toBe(401);
    expect((await setUp(url)).body.account).toMatchObject({ role: 'operator' });
    await second.stop();

    const third = await start(settings);
    expect(third.output()).not.toContain('log in yet');
    expect(existsSync(file)).toBe(false);
  });

  it.skipIf(!hasScript)('prints the first keys to a terminal, and commands that read the absolute path of their file', async () => {
    const dataDir = join(folder, 'terminal');
    const settings = await processSettings(dataDir, `sqlite:${join(dataDir, 'satchel.db')}`);
    const command = `${process.execPath} src/main.ts`;
    const child = startCommand('script', ['-qec', command, '/dev/null'], { ...settings, LIGHTNING_URL: 'fake:?seed=1' });
    const [, secretKey = ''] = await child.line(/secret {2}(sak_\w+)/);
    const [, publicKey = ''] = await child.line(/public {2}(pak_\w+)/);
    await child.line(new RegExp(`^KEY="\\$\\(head -n 1 '${join(dataDir, 'first-key')}'\\)"`));
    expect(readFileSync(join(dataDir, 'first-key'), 'utf8')).toBe(`${secretKey}\n${publicKey}\n`);
    const [, token = ''] = await child.line(/\/setup#([\w-]{43})/);
    expect(existsSync(join(dataDir, 'setup-link'))).toBe(false);
    const json = { token, email: 'ada@example.com', password: 'a long password' };
    const service = clientOf(`http://127.0.0.1:${settings.PORT}`, secretKey, publicKey);
    expect((await new Browser(service).send('POST', '/v1/session/setup', json)).status).toBe(201);
    // This ends the command that it runs. SIGKILL would leave that running.
    await child.end('SIGTERM');
  });

  it('makes the account of BOOTSTRAP_SECRET_KEY, prints no key, and prints commands that read the variable', async () => {
    const key = `sak_${'x1Y2'.repeat(6)}`;
    const dataDir = join(folder, 'bootstrap');
    const settings = { ...(await processSettings(dataDir, `sqlite:${join(dataDir, 'satchel.db')}`)), BOOTSTRAP_SECRET_KEY: key };
    const service = await start(settings);
    expect(service.output()).not.toContain(key);
    expect(service.output()).not.toContain('Your keys');
    expect(await paste(service, { BOOTSTRAP_SECRET_KEY: key })).toContain('{"user_label":"first","balance":5000}');
  });

  it('on a busy port reports it, and names the file of the keys, which are never printed again', async () => {
    const dataDir = join(folder, 'busy');
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const settings = { DATA_DIR: dataDir, LIGHTNING_URL: 'fake:?seed=1', PORT: String((other.address() as AddressInfo).port) };
    const failed = () => startProcess({ ...settings, LOG_LEVEL: 'silent' }).catch((error: Error) => error.message);
    const made = await failed();
    expect(made).toContain('Satchel cannot start: another program listens on port');
    expect(made).toContain(`The keys of the new account are in ${join(dataDir, 'first-key')}.`);
    expect(readFileSync(join(dataDir, 'first-key'), 'utf8')).toMatch(/^sak_/);
    expect(await failed()).not.toContain('The keys of');
    other.close();
  });

  it('warns when KEYSEND_WALLET_ID names no wallet, and runs', async () => {
    await waiting.line(/"level":40.*"wallet":"wal_0nobody0has0this0id".*KEYSEND_WALLET_ID is no wallet of this service/);
    await waiting.line(/Satchel waits/);
  });

  it('without its node reports that it waits, and that no balance could be compared', async () => {
    await waiting.line(/^ {2}Satchel waits for its Lightning node/);
    await waiting.line(/"level":40.*the node stopped answering; the rest was not compared/);
    await expect(Promise.race([waiting.line(/Satchel is ready|reconciled with the node/), waiting.end('SIGTERM')])).resolves.toBe(0);
  });

  it('of a playground lets only the owner read its secret and the keys of its nodes', async () => {
    await playground.line(/LIGHTNING_URL='(.*)'/);
    expectClosed(join(folder, 'playground'));
  });

  it.each([
    [{ DATA_DIR: join(root, 'package.json') }, 'DATA_DIR must be a folder'],
    [{ DATABASE_URL: 'postgres://satchel:geheim@127.0.0.1:1/x' }, 'the database of DATABASE_URL cannot be opened (ECONNREFUSED)'],
    [{ DATABASE_URL: 'postgres://localhost:1/geheim@127.0.0.1/x' }, 'the database of DATABASE_URL cannot be opened (ECONNREFUSED)'],
    [{ DATABASE_URL: 'postgres://satchel:geheim:@/x' }, 'the database of DATABASE_URL cannot be opened'],
    [{ DATABASE_URL: `sqlite:${root}` }, 'the database of DATABASE_URL cannot be opened'],
    [{ HOST: '192.0.2.1', LIGHTNING_URL: 'fake:?seed=1' }, 'HOST and PORT must be an address of this machine'],
  ])('reports the requirement for %j when the system rejects it, without a stack or a password', async (setting, message) => {
    const dataDir = join(folder, 'refused');
    const failed = await startProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', PORT: '0', ...setting }).catch((e: Error) => e.message);
    expect(failed).toContain(`Satchel cannot start: ${message}`);
    expect(failed).not.toMatch(/ at |geheim/);
  });

  it.each([
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be'],
    [{ LIGHTNING_URL: 'lnd:secret' }, 'LIGHTNING_URL must be'],
    [{ PUBLIC_URL: 'ftp://x' }, 'PUBLIC_URL must be'],
    [{ BOOTSTRAP_SECRET_KEY: 'sak_short' }, 'BOOTSTRAP_SECRET_KEY must be'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
    [{ LEGACY_NULL_KEYSEND: '1' }, 'LEGACY_NULL_KEYSEND must be true or false'],
    [{ KEYSEND_WALLET_ID: 'x' }, 'KEYSEND_WALLET_ID must be'],
  ])('rejects the setting %j with a remedy, without repeating its value', async (setting, message) => {
    const [name = '', value = ''] = Object.entries(setting)[0] ?? [];
    const failed = await startProcess({ DATA_DIR: join(folder, 'never'), PORT: '0', [name]: value }).catch((error: Error) => error.message);
    expect(failed).toContain(`Satchel cannot start: ${message}`);
    expect(failed).not.toContain('at file:');
    if (name === 'BOOTSTRAP_SECRET_KEY' || name === 'LIGHTNING_URL') expect(failed).not.toContain(value);
  });
});
