import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';

/*
 * Builds the image with podman and works with it. The images of public registries are not needed: an image with the Node of these tests stands in
 * for that of Node. It runs on machines without systemd, without overlay file systems and without control groups for podman.
 */

const root = join(import.meta.dirname, '..', '..');
const IMAGE = 'localhost/satchel-test';
const isPossible =
  process.getuid?.() === 0 && ['podman --version', 'unshare -m true'].every((line) => spawnSync('sh', ['-c', line]).status === 0);

describe.skipIf(!isPossible)('the image (needs podman and root)', () => {
  mkdirSync(join(root, 'data'), { recursive: true });
  const folder = mkdtempSync(join(root, 'data', 'image-'));
  const data = join(folder, 'data');
  const env = { ...process.env, CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'), BUILDAH_ISOLATION: 'chroot' };
  const running: ChildProcess[] = [];
  let port: string;

  beforeAll(async () => {
    port = String(await freePort());
    mkdirSync(data);
    chownSync(data, 10_001, 10_001);
    const storage = { driver: 'vfs', graphroot: join(folder, 'images'), runroot: join(folder, 'run') };
    const lines = Object.entries(storage).map(([name, value]) => `${name} = "${value}"\n`);
    writeFileSync(join(folder, 'storage.conf'), `[storage]\n${lines.join('')}`);
    buildNodeImage();
    const NODE_IMAGE = 'NODE_IMAGE=localhost/node-of-test';
    execFileSync('scripts/image.sh', [IMAGE, '--build-arg', NODE_IMAGE], {
      cwd: root,
      env: { ...env, DOCKER_HOST: 'none:' },
      stdio: 'pipe',
    });
    // Copying the layers takes minutes on a busy machine.
  }, 900_000);
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function buildNodeImage(): void {
    const context = join(folder, 'node');
    execFileSync(process.execPath, [join(root, 'ops', 'image', 'rootfs.mjs'), context]);
    writeFileSync(join(folder, 'Containerfile'), 'FROM scratch\nCOPY . /\n');
    const args = ['build', '--layers=false', '--tag', 'localhost/node-of-test', '--file', join(folder, 'Containerfile'), context];
    execFileSync('podman', args, { env, stdio: 'pipe' });
  }

  /** Runs podman where it finds version 2 of the control groups. */
  function podman(...args: string[]): ChildProcess & { readonly output: () => string; readonly closed: Promise<unknown[]> } {
    const script = 'umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec podman "$@"';
    const child = spawn('unshare', ['-m', 'sh', '-c', script, 'podman', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    return Object.assign(child, { output: () => output, closed: once(child, 'close') });
  }

  const limits = ['--cgroups=disabled', '--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=512:512', '--network=host'];

  function run(...args: string[]) {
    const safe = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--security-opt=no-new-privileges'];
    const settings = ['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1', '--env', 'LIGHTNING_URL=fake:?seed=1', '--env', 'LOG_LEVEL=warn'];
    return podman('run', '--rm', ...limits, ...safe, ...settings, '--volume', `${data}:/data`, ...args);
  }

  async function start(name: string) {
    const container = run('--name', name, IMAGE);
    await expect.poll(container.output).toContain('Satchel is ready');
    const [secretKey = '', publicKey = ''] = readFileSync(join(data, 'first-key'), 'utf8').split('\n');
    const signal = async (signal: string) => {
      await podman('kill', '--signal', signal, name).closed;
      return (await container.closed)[0];
    };
    return { client: clientOf(`http://127.0.0.1:${port}`, secretKey, publicKey), signal };
  }

  it('runs on a read-only root as a user without rights, pays, and keeps the money when it is killed', async () => {
    const first = await start('satchel-first');
    const wallet = await first.client.wallet(5000);
    const { payment_request } = await first.client.post('/playground/invoice', { num_satoshis: 1000 });
    expect(await first.client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request })).toMatchObject({ status: 'settled' });
    await first.signal('KILL');

    const second = await start('satchel-second');
    expect((await second.client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(4000);
    const check = run('--entrypoint', '/usr/local/bin/node', IMAGE, '/app/ops/image/healthcheck.mjs');
    expect((await check.closed)[0]).toBe(0);
    expect(await second.signal('TERM')).toBe(0);

    const unhealthy = run('--entrypoint', '/usr/local/bin/node', IMAGE, '/app/ops/image/healthcheck.mjs');
    expect((await unhealthy.closed)[0]).toBe(1);
    const verify = run(IMAGE, 'verify');
    expect((await verify.closed)[0]).toBe(0);
    expect(verify.output()).toContain('The ledger is clean.');
  });

  it('has neither a shell nor npm, and states its user, volume, port, signal and health check', async () => {
    const [image] = JSON.parse(execFileSync('podman', ['image', 'inspect', IMAGE], { env, encoding: 'utf8' }));
    // podman shows the health check outside of Config.
    expect({ Healthcheck: image.Healthcheck, ...image.Config }).toMatchObject({
      User: '10001:10001',
      Volumes: { '/data': {} },
      ExposedPorts: { '4021/tcp': {} },
      StopSignal: 'SIGTERM',
      Healthcheck: { Test: ['CMD', '/usr/local/bin/node', '/app/ops/image/healthcheck.mjs'] },
    });
    // A volume that docker creates has the owner and the mode of the folder in the image.
    const folder = "const { uid, mode } = fs.statSync('/data'); process.exit(uid === 10001 && (mode & 0o777) === 0o700 ? 0 : 1)";
    const inImage = podman('run', '--rm', ...limits, '--entrypoint', '/usr/local/bin/node', IMAGE, '-e', folder);
    expect((await inImage.closed)[0]).toBe(0);
    for (const program of ['/bin/sh', '/usr/local/bin/npm']) expect((await run('--entrypoint', program, IMAGE).closed)[0]).not.toBe(0);
  });
});
