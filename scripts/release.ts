import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * `npm run release`, after the build: writes to `release` the package, its software bill of materials and their checksums. Two runs on the same
 * commit with the same versions of Node and npm write the same bytes.
 */

const ROOT = join(import.meta.dirname, '..');
const RELEASE = join(ROOT, 'release');

interface Bom {
  serialNumber?: string;
  readonly metadata: { timestamp?: string; readonly component: { 'bom-ref': string; name: string; type: string } };
  components: { readonly 'bom-ref': string; readonly name: string }[];
  dependencies: { readonly ref: string; dependsOn: string[] }[];
}

rmSync(RELEASE, { recursive: true, force: true });
mkdirSync(RELEASE);
// The build has run already.
// Without the list of all files, which would hide the checksums.
npm('pack', '--ignore-scripts', '--loglevel=warn', '--pack-destination', RELEASE);
const [archive = ''] = readdirSync(RELEASE);
writeFileSync(join(RELEASE, archive.replace(/\.tgz$/, '.cdx.json')), bom());
const sums = readdirSync(RELEASE).map((file) => `${sha256(readFileSync(join(RELEASE, file)))}  ${file}\n`);
writeFileSync(join(RELEASE, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));

/** Returns the bill of materials in CycloneDX, without its time, and with a serial number made from its content. */
function bom(): string {
  const made = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')) as Bom;
  delete made.serialNumber;
  delete made.metadata.timestamp;
  // npm takes the name from the folder.
  made.metadata.component.name = 'satchel';
  made.metadata.component.type = 'application';
  keepShipped(made);
  // The form of a UUID whose bits are chosen by the application (version 8 of RFC 9562).
  const hash = sha256(JSON.stringify(made));
  const serialNumber = `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return `${JSON.stringify({ ...made, serialNumber }, null, 2)}\n`;
}

/**
 * Keeps what is installed with the package or bundled into the dashboard. `--omit dev` of npm 11 also drops packages that a development package
 * needs as well, such as pg.
 */
function keepShipped(made: Bom): void {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { devDependencies: object };
  const names = new Map(made.components.map((component) => [component['bom-ref'], component.name]));
  const shipped = new Set<string>();
  const add = (ref: string): void => {
    if (shipped.has(ref)) return;
    shipped.add(ref);
    const entry = made.dependencies.find((dependency) => dependency.ref === ref);
    const isRoot = ref === made.metadata.component['bom-ref'];
    // Vite builds the dashboard, and is not in it.
    const isBuildTool = (name: string) => name === 'vite' || (isRoot && name in devDependencies);
    if (entry) entry.dependsOn = entry.dependsOn.filter((child) => !isBuildTool(names.get(child) ?? ''));
    for (const child of entry?.dependsOn ?? []) add(child);
  };
  add(made.metadata.component['bom-ref']);
  made.components = made.components.filter((component) => shipped.has(component['bom-ref']));
  made.dependencies = made.dependencies.filter(({ ref }) => shipped.has(ref));
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function npm(...args: string[]): string {
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
