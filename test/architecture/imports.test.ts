import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/**
 * Which modules each module may import. A module is a folder of `src/`; `app` is the files directly in `src/`, and `devnet` the networks for
 * development and tests. Imports point in one direction, so no two modules import each other.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  db: ['kernel'],
  events: ['kernel', 'db'],
  alerts: ['kernel', 'db', 'events'],
  idempotency: ['kernel', 'db'],
  lightning: ['kernel'],
  outbound: ['kernel'],
  devnet: ['kernel', 'lightning'],
  connection: ['kernel', 'db', 'alerts', 'lightning'],
  ledger: ['kernel', 'db', 'alerts'],
  budgets: ['kernel', 'db', 'ledger'],
  accounts: ['kernel', 'db', 'events', 'ledger', 'budgets'],
  wallets: ['kernel', 'db', 'events', 'ledger', 'budgets', 'accounts'],
  invoices: ['kernel', 'db', 'events', 'ledger', 'lightning', 'connection', 'wallets'],
  payments: ['kernel', 'db', 'events', 'alerts', 'ledger', 'budgets', 'lightning', 'connection', 'wallets', 'invoices'],
  lnurl: ['kernel', 'db', 'events', 'ledger', 'budgets', 'lightning', 'outbound', 'accounts', 'wallets', 'invoices', 'payments'],
  history: ['kernel', 'db', 'ledger', 'lightning', 'wallets', 'invoices', 'payments'],
  feed: ['kernel', 'db', 'events', 'ledger', 'wallets', 'invoices', 'payments', 'history'],
  webhooks: ['kernel', 'db', 'events', 'alerts', 'outbound', 'feed'],
  proof: ['kernel', 'db', 'ledger'],
  verify: ['kernel', 'db', 'ledger', 'proof'],
  reconcile: ['kernel', 'db', 'events', 'alerts', 'ledger', 'lightning', 'connection', 'invoices', 'payments'],
  operator: ['kernel', 'db', 'events', 'alerts', 'ledger', 'lightning', 'connection', 'wallets', 'invoices', 'payments', 'reconcile'],
  http: [
    'kernel',
    'alerts',
    'idempotency',
    'ledger',
    'budgets',
    'lightning',
    'connection',
    'accounts',
    'wallets',
    'invoices',
    'payments',
    'lnurl',
    'events',
    'history',
    'feed',
    'webhooks',
    'proof',
    'reconcile',
    'operator',
  ],
  cli: ['app', 'kernel', 'db', 'accounts', 'alerts', 'ledger', 'lightning', 'devnet', 'operator', 'payments', 'reconcile', 'verify'],
};

/** The statements for facts about the service, a table that several modules use. */
const SHARED_SQL = 'src/db/facts.sql.ts';

/** `verify` reads the tables of the ledger and of the proofs independently. */
const FOREIGN_SQL: ReadonlySet<string> = new Set(['verify → ledger', 'verify → proof']);

const IMPORT = /(?:from|import) '(\.[^']+)'|import\('(\.[^']+)'\)/g;

const PACKAGE = /(?:from|import) '((?:@[^/']+\/)?[^./'][^/']*)/g;

const files = globSync(['src/**/*.ts', 'devnet/**/*.ts'], { cwd: root }).sort();

function moduleOf(file: string): string {
  const [top = '', folder = '', ...rest] = file.split('/');
  if (top !== 'src') return top;
  return rest.length > 0 ? folder : 'app';
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return Array.from(text.matchAll(IMPORT), ([, fixed, dynamic]) => relative(root, join(root, dirname(file), fixed ?? dynamic ?? '')));
}

describe('imported packages', () => {
  it('are installed at the first start, which installs no development dependencies', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const imported = files.flatMap((file) => Array.from(readFileSync(join(root, file), 'utf8').matchAll(PACKAGE), ([, name = '']) => name));
    const packages = new Set(imported.filter((name) => !name.startsWith('node:')));
    expect(packages.size).toBeGreaterThan(5);
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
  });
});

describe('imports between modules', () => {
  it('finds every module and imports of it', () => {
    expect(new Set(files.map(moduleOf))).toEqual(new Set([...Object.keys(ALLOWED), 'app']));
    expect(files.flatMap(importsOf).length).toBeGreaterThan(files.length);
  });

  it('follow the table', () => {
    const forbidden = files.flatMap((file) => {
      const from = moduleOf(file);
      // The files of `app` connect the modules, so they may import all of them.
      const allowed = from === 'app' ? [...Object.keys(ALLOWED), 'app'] : [from, ...(ALLOWED[from] ?? [])];
      return importsOf(file)
        .filter((imported) => !allowed.includes(moduleOf(imported)))
        .map((imported) => `${file} imports ${imported}`);
    });
    expect(forbidden).toEqual([]);
  });

  it('leave the SQL of a module to its own files', () => {
    const foreign = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.endsWith('.sql.ts') && moduleOf(imported) !== moduleOf(file))
        .filter((imported) => !FOREIGN_SQL.has(`${moduleOf(file)} → ${moduleOf(imported)}`) && imported !== SHARED_SQL)
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(foreign).toEqual([]);
  });

  it('of the ledger are imports of its entry file; `verify` also checks its internals', () => {
    const others = files.filter((file) => !['ledger', 'verify'].includes(moduleOf(file)));
    const inner = others.flatMap((file) =>
      importsOf(file)
        .filter((imported) => moduleOf(imported) === 'ledger' && imported !== 'src/ledger/ledger.ts')
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(inner).toEqual([]);
  });

  it('point in one direction', () => {
    const order = Object.keys(ALLOWED);
    const backwards = order.flatMap((from) =>
      (ALLOWED[from] ?? []).filter((to) => to !== 'app' && order.indexOf(to) >= order.indexOf(from)).map((to) => `${from} → ${to}`),
    );
    expect(backwards).toEqual([]);
  });
});

describe('source files', () => {
  it('have at most 400 lines', () => {
    const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 401);
    expect(long).toEqual([]);
  });
});

/** The names of the types that a file declares and exports. */
function typesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return Array.from(text.matchAll(/^export (?:interface|type|class|abstract class) (\w+)/gm), ([, name = '']) => name);
}

describe('exported types', () => {
  it('have a name that no other module uses', () => {
    const modules = new Map<string, Set<string>>();
    for (const file of files.filter((one) => one.startsWith('src/'))) {
      for (const name of typesOf(file)) modules.set(name, (modules.get(name) ?? new Set()).add(moduleOf(file)));
    }
    const shared = Array.from(modules, ([name, users]) => `${name}: ${Array.from(users).join(', ')}`).filter((line) => line.includes(', '));
    expect(shared).toEqual([]);
  });
});
