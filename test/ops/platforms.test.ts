import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';

// The files for container platforms must fit the image and the settings of the service. No platform runs here.

const root = join(import.meta.dirname, '..', '..');
const ops = join(root, 'ops');
const text = (...path: string[]): string => readFileSync(join(ops, ...path), 'utf8');

interface Service {
  readonly image?: string;
  readonly user?: string;
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const containerfile = text('image', 'Containerfile');
const port = /^EXPOSE (\d+)$/m.exec(containerfile)?.[1];
const volume = /^VOLUME (\S+)$/m.exec(containerfile)?.[1];

/** The names of the settings that the service reads, also from a file. */
const settings = new Set(
  [...readFileSync(join(root, 'src', 'config.ts'), 'utf8').matchAll(/'([A-Z][A-Z_]+)'/g)].flatMap(([, name = '']) => [
    name,
    `${name}_FILE`,
  ]),
);
it('labels the image with its version, commit, time and address', () => {
  const script = readFileSync(join(root, 'scripts', 'image.sh'), 'utf8');
  const labels = new Map(
    [...containerfile.matchAll(/org\.opencontainers\.image\.(\w+)="\$\{(\w+)\}"/g)].map(([, label, name]) => [label, name]),
  );
  expect([...labels.keys()].toSorted()).toEqual(['created', 'revision', 'source', 'url', 'version']);
  for (const name of labels.values()) {
    expect(containerfile).toMatch(new RegExp(`^ARG .*\\b${name}=`, 'm'));
    expect(script).toContain(`--build-arg "${name}=`);
  }
});

it('updates a dependency with a known vulnerability at once', () => {
  const rules = JSON.parse(readFileSync(join(root, '.github', 'renovate.json'), 'utf8'));
  expect(rules).toMatchObject({ minimumReleaseAge: '7 days', vulnerabilityAlerts: { schedule: ['at any time'], minimumReleaseAge: null } });
});

const unknownOf = (names: readonly string[]): string[] => names.filter((name) => !settings.has(name));
const isPinned = (image: string): boolean =>
  new RegExp(`^[\\w.-]+/[\\w./-]+:${version.replaceAll('.', '\\.')}@sha256:[0-9a-f]{64}$`).test(image);

describe.each(readdirSync(join(ops, 'compose')))('ops/compose/%s', (file) => {
  const { services, secrets = {} } = parse(text('compose', file)) as Compose;
  const { environment = {}, volumes = [], secrets: used = [] } = services.satchel ?? {};

  it('sets only settings that the service reads, and no secret in the clear', () => {
    expect(unknownOf(Object.keys(environment))).toEqual([]);
    for (const name of ['LIGHTNING_URL', 'SECRET_KEY', 'DATABASE_URL']) expect(environment).not.toHaveProperty(name);
  });

  it('mounts the volume of the image, a folder of the host for backups, and every secret that it names', () => {
    expect(volumes).toEqual([`data:${volume}`, `./backups:${environment.BACKUP_DIR}`]);
    const read = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? []);
    expect(read.toSorted()).toEqual([...used].toSorted());
    for (const name of used) expect(secrets[name]?.file).toBe(`./secrets/${name}`);
  });

  it('publishes only the port of the image', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.map((one) => one.split(':').at(-1))).toEqual([port]);
  });
});

describe('the package for Umbrel', () => {
  const id = 'satchel';
  const folder = join(ops, 'umbrel', id);
  const manifest = parse(text('umbrel', id, 'umbrel-app.yml')) as Record<string, unknown>;
  const { services } = parse(text('umbrel', id, 'docker-compose.yml')) as Compose;
  const { app_proxy: proxy, server } = services;

  it('has the fields that the store requires, and the version of this release', () => {
    const texts = ['category', 'name', 'tagline', 'description', 'developer', 'website', 'repo', 'support', 'submitter', 'submission'];
    for (const name of texts) expect([name, manifest[name]]).toEqual([name, expect.stringMatching(/\S/)]);
    const fixed = {
      manifestVersion: 1,
      id,
      category: 'bitcoin',
      version,
      path: '',
      gallery: [],
      releaseNotes: '',
      dependencies: ['lightning'],
    };
    expect(manifest).toMatchObject(fixed);
    expect(manifest.port).toBe(Number(port));
  });

  it('leads the proxy to the port of the image, and exempts only programs, apps and Lightning addresses from its login', () => {
    expect(Object.keys(services)).toEqual(['app_proxy', 'server']);
    const PROXY_AUTH_WHITELIST = '/v1/*,/lndhub/*,/.well-known/*';
    expect(proxy).toEqual({ environment: { APP_HOST: `${id}_server_1`, APP_PORT: Number(port), PROXY_AUTH_WHITELIST } });
    expect(server).not.toHaveProperty('ports');
  });

  it('pins the image, and mounts its volume from a folder of the package and LND without the right to write', () => {
    expect(isPinned(server?.image ?? '')).toBe(true);
    expect(server).toMatchObject({ user: '1000:1000', restart: 'on-failure' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Umbrel replaces it.
    expect(server?.volumes).toEqual([`\${APP_DATA_DIR}/data:${volume}`, '${APP_LIGHTNING_NODE_DATA_DIR}:/lnd:ro']);
    expect(existsSync(join(folder, 'data', '.gitkeep'))).toBe(true);
  });

  it('configures the service with variables that Umbrel and its LND set', () => {
    const provided: Readonly<Record<string, string>> = {
      APP_LIGHTNING_NODE_IP: '10.21.21.9',
      APP_LIGHTNING_NODE_REST_PORT: '8080',
      APP_BITCOIN_NETWORK: 'mainnet',
      DEVICE_DOMAIN_NAME: 'umbrel.local',
      APP_PROXY_PORT: String(manifest.port),
    };
    const entries = Object.entries(server?.environment ?? {});
    expect(unknownOf(entries.map(([name]) => name))).toEqual([]);
    const replaced = entries.map(([name, value]) => [name, value.replace(/\$\{(\w+)\}/g, (_, variable) => provided[variable] ?? '?')]);
    const macaroon = '/lnd/data/chain/bitcoin/mainnet/admin.macaroon';
    expect(readConfig(Object.fromEntries(replaced))).toMatchObject({
      publicUrl: `http://umbrel.local:${port}`,
      trustProxy: 1,
      lightningUrls: [`lnd+rest://10.21.21.9:8080?cert=/lnd/tls.cert&macaroon=${macaroon}`],
      backup: { folder: `${volume}/backups` },
    });
  });

  it('keeps the database out of backups of Umbrel, but not the backups that the service writes', () => {
    expect(manifest.backupIgnore).toEqual(['data/satchel.db*']);
  });
});

describe('the package for StartOS', () => {
  const folder = join(ops, 'startos', 'startos');
  const manifest = text('startos', 'startos', 'manifest', 'index.ts');
  const container = text('startos', 'startos', 'container.ts');
  const all = globSync('**/*.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));

  it('has the fields of a manifest, for both processors, and the version of this release', () => {
    const fields = [
      'id',
      'title',
      'license',
      'packageRepo',
      'upstreamRepo',
      'marketingUrl',
      'donationUrl',
      'description',
      'volumes',
      'images',
      'dependencies',
    ];
    for (const field of fields) expect([field, manifest.includes(`\n  ${field}: `)]).toEqual([field, true]);
    expect(manifest).toContain("arch: ['x86_64', 'aarch64']");
    expect(/dockerTag: '[\w.-]+\/satchel:([\d.]+)'/.exec(manifest)?.[1]).toBe(version);
    expect(text('startos', 'startos', 'versions', 'index.ts')).toContain(`version: '${version}:0'`);
  });

  it('mounts the volume of the image, declares all its volumes, and binds the port', () => {
    expect(container).toContain(`volumeId: 'main', subpath: null, mountpoint: '${volume}'`);
    expect(container).toContain(`export const PORT = ${port};`);
    const declared = /volumes: \[(.*)\]/.exec(manifest)?.[1];
    const own = [...all.join('\n').matchAll(/sdk\.volumes\.(\w+)|ofVolumes\('(\w+)', '(\w+)'\)/g)].flatMap((match) =>
      match.slice(1).filter(Boolean),
    );
    expect(
      [...new Set(own)]
        .toSorted()
        .map((name) => `'${name}'`)
        .join(', '),
    ).toBe(declared);
  });

  it('sets only settings that the service reads', () => {
    const [, body = ''] = /return \{(.*)\};/s.exec(container) ?? [];
    const names = [...body.matchAll(/\b([A-Z][A-Z_]+)\b(?=[:,])/g)].map(([, name = '']) => name);
    expect(names).toEqual(['LIGHTNING_URL', 'BACKUP_DIR', 'TRUST_PROXY', 'PUBLIC_URL']);
    expect(unknownOf(names)).toEqual([]);
  });
});
