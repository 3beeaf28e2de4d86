import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, type ServiceProcess, startProcess } from '../support/process.ts';

// Runs the files of ops/proxy, with other ports, paths and a certificate of its own, in front of a service.

const OPS = join(import.meta.dirname, '..', '..', 'ops', 'proxy');
const HOST = 'wallet.example.com';

interface Paths {
  readonly folder: string;
  readonly port: number;
  readonly upstream: string;
}

interface Proxy {
  readonly program: string;
  readonly log: string;
  /** Writes its configuration and returns its arguments. */
  configure(paths: Paths): string[];
}

function nginx(): Proxy {
  return {
    program: 'nginx',
    log: 'satchel.log',
    configure({ folder, port, upstream }) {
      const site = readFileSync(join(OPS, 'nginx.conf'), 'utf8')
        .replaceAll('127.0.0.1:4021', upstream)
        .replace(/listen 80;\n {2}listen \[::\]:80;/, `listen unix:${join(folder, 'http')};`)
        .replace(/listen 443 ssl http2;\n {2}listen \[::\]:443 ssl http2;/, `listen 127.0.0.1:${port} ssl http2;`)
        .replaceAll(/\/etc\/letsencrypt\/live\/wallet.example.com|\/var\/log\/nginx/g, folder);
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join(' ');
      const all = `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {} http { ${paths} ${site} }`;
      writeFileSync(join(folder, 'nginx.conf'), all);
      return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
    },
  };
}

function caddy(): Proxy {
  return {
    program: 'caddy',
    log: 'satchel.log',
    configure({ folder, port, upstream }) {
      const site = readFileSync(join(OPS, 'Caddyfile'), 'utf8')
        .replaceAll('127.0.0.1:4021', upstream)
        .replace(
          /^wallet\.example\.com \{/m,
          `https://wallet.example.com:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
        )
        .replaceAll('/var/log/caddy', folder);
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n}\n${site}`);
      return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  };
}

function isInstalled(program: string): boolean {
  return spawnSync('which', [program, 'openssl']).status === 0;
}

for (const proxy of [nginx(), caddy()]) {
  describe.skipIf(!isInstalled(proxy.program))(`ops/proxy with ${proxy.program} (skipped unless it and openssl are installed)`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-proxy-'));
    let service: ServiceProcess;
    let child: ChildProcess;
    let port: number;

    beforeAll(async () => {
      port = await freePort();
      mkdirSync(join(folder, 'data'));
      const settings = await processSettings(join(folder, 'data'), await freshUrls('sqlite')());
      service = await startProcess({
        ...settings,
        LIGHTNING_URL: 'fake:?seed=proxy',
        PUBLIC_URL: `https://${HOST}:${port}`,
        TRUST_PROXY: '127.0.0.1',
      });
      const names = [
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-subj',
        `/CN=${HOST}`,
        '-addext',
        `subjectAltName=DNS:${HOST}`,
      ];
      const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
      execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '2', ...names, ...files], { stdio: 'ignore' });
      const upstream = `127.0.0.1:${settings.PORT}`;
      const args = proxy.configure({ folder, port, upstream });
      child = spawn(proxy.program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder } });
      // Until it listens.
      await vi.waitFor(() => read('/healthz'), { timeout: 150_000, interval: 100 });
    });
    afterAll(async () => {
      child?.kill();
      await service?.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Reads a path through the proxy, until the response has ended or contains `until`. */
    function read(
      path: string,
      headers: Record<string, string> = {},
      { until = '\0', onOpen = () => {} } = {},
    ): Promise<{ status: number; text: string }> {
      return new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, servername: HOST, path, rejectUnauthorized: false };
        const sent = request({ ...options, headers: { host: `${HOST}:${port}`, ...headers } }, (response) => {
          let text = '';
          onOpen();
          const done = () => resolve({ status: response.statusCode ?? 0, text });
          response.setEncoding('utf8');
          response.on('end', done);
          response.on('data', (part) => {
            text += part;
            if (!text.includes(until)) return;
            done();
            response.destroy();
          });
        });
        sent.on('error', reject);
        sent.end();
      });
    }

    it('does not let clients choose their address', async () => {
      const headers = { 'x-api-key': service.client.secretKey, 'x-forwarded-for': '203.0.113.7' };
      const { status, text } = await read('/v1/operator/instances', headers);
      expect(status).toBe(200);
      expect(JSON.parse(text).client_address).toBe('127.0.0.1');
    });

    it('passes on live events while they arrive, and links with the public host', async () => {
      const key = { 'x-api-key': service.client.secretKey };
      // The response does not end, so a proxy that buffered it would send nothing.
      const opened = Promise.withResolvers<void>();
      const stream = read('/v1/events', { ...key, accept: 'text/event-stream' }, { until: 'wallet_created', onOpen: opened.resolve });
      await opened.promise;
      const wallet = await service.client.post('/v1/wallet', { user_label: 'behind a proxy' });
      expect((await stream).text).toContain('wallet_created');
      const link = await service.client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_short_desc: 'tips' });
      expect(JSON.stringify(link)).toContain(`https://${HOST}:${port}/`);
    });

    it('logs no query, which may contain a secret', async () => {
      await read('/v1/version?k1=verysecret', { 'x-api-key': 'sak_neverlogged00000000000' });
      const log = join(folder, proxy.log);
      await expect.poll(() => (existsSync(log) ? readFileSync(log, 'utf8') : '')).toContain('/v1/version');
      expect(readFileSync(log, 'utf8')).not.toMatch(/verysecret|neverlogged/);
    });
  });
}
