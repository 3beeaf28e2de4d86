import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/**
 * Which modules each module may import. A module is a folder of `src/core` or `src/features`; `http` is the framework of the API, `app` the
 * files directly in `src/`, and `devnet` the networks for development and tests. Imports point in one direction, so no two modules import
 * each other. Every feature may import all of the core and `http`; its row lists the other features that it may import.
 */
const CORE: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  db: ['kernel'],
  tasks: ['kernel', 'db'],
  journal: ['kernel', 'db'],
  alerts: ['kernel', 'db', 'journal'],
  idempotency: ['kernel', 'db'],
  lightning: ['kernel'],
  outbound: ['kernel'],
  nostr: ['kernel'],
  rates: ['kernel', 'db', 'alerts', 'outbound'],
  connection: ['kernel', 'db', 'alerts', 'lightning'],
  ledger: ['kernel', 'db', 'journal'],
  budgets: ['kernel', 'db', 'ledger'],
  limits: ['kernel', 'db', 'ledger', 'budgets'],
  accounts: ['kernel', 'db', 'journal', 'ledger', 'budgets', 'limits'],
  wallets: ['kernel', 'db', 'journal', 'ledger', 'budgets', 'accounts'],
  quarantine: ['kernel', 'db'],
  'recovery-log': ['kernel'],
  withdrawals: ['kernel', 'db', 'alerts', 'ledger'],
  fees: ['kernel', 'db', 'journal', 'ledger', 'accounts', 'wallets'],
  invoices: [
    'kernel',
    'db',
    'journal',
    'alerts',
    'ledger',
    'lightning',
    'connection',
    'wallets',
    'quarantine',
    'recovery-log',
    'fees',
    'limits',
  ],
  payments: [
    'kernel',
    'db',
    'journal',
    'alerts',
    'ledger',
    'budgets',
    'lightning',
    'connection',
    'wallets',
    'invoices',
    'quarantine',
    'withdrawals',
    'fees',
    'limits',
  ],
  'hold-invoices': ['kernel', 'db', 'alerts', 'ledger', 'lightning', 'connection', 'wallets', 'invoices', 'payments'],
};

const HTTP = ['kernel', 'journal', 'idempotency', 'lightning', 'rates', 'ledger', 'accounts', 'wallets'];

const FEATURES: Readonly<Record<string, readonly string[]>> = {
  accounts: [],
  keys: [],
  fees: [],
  wallets: [],
  nodes: [],
  service: [],
  search: [],
  rates: [],
  contacts: [],
  proof: [],
  verify: ['proof'],
  move: ['verify'],
  backup: ['verify', 'move'],
  reconcile: [],
  restore: ['reconcile'],
  operator: ['backup', 'reconcile'],
  notifications: ['operator'],
  transactions: ['wallets'],
  lnurl: [],
  nwc: ['keys', 'transactions'],
  logins: ['accounts'],
  customers: ['keys', 'logins', 'transactions', 'wallets'],
  payments: ['lnurl', 'transactions'],
  payouts: ['lnurl'],
  events: ['keys', 'transactions', 'wallets'],
  invoices: ['events', 'transactions'],
  'payer-pages': ['lnurl', 'transactions', 'invoices'],
  lndhub: ['keys', 'logins', 'nodes'],
  webhooks: ['events', 'transactions'],
  push: ['transactions'],
  import: ['verify', 'lnurl', 'lndhub', 'logins', 'webhooks'],
  metrics: ['events', 'nwc', 'webhooks'],
};

const core = Object.keys(CORE).map((name) => `core/${name}`);

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(CORE).map(([name, allowed]) => [`core/${name}`, allowed.map((one) => `core/${one}`)])),
  http: HTTP.map((name) => `core/${name}`),
  ...Object.fromEntries(
    Object.entries(FEATURES).map(([name, allowed]) => [`features/${name}`, [...core, 'http', ...allowed.map((one) => `features/${one}`)]]),
  ),
  devnet: ['core/kernel', 'core/lightning', 'core/nostr', 'core/invoices', 'http'],
  cli: ['app', 'devnet', 'client', ...core, ...Object.keys(FEATURES).map((name) => `features/${name}`)],
};

/** The statements for facts about the service, a table that several modules use. */
const SHARED_SQL = 'src/core/db/facts.sql.ts';

/** `verify` reads the tables of the ledger and of the proofs independently. The ledger's statement of a batch contains the journal's rows. */
const FOREIGN_SQL: ReadonlySet<string> = new Set([
  'features/verify → core/ledger',
  'features/verify → features/proof',
  'core/ledger → core/journal',
]);

const IMPORT = /(?:from|import) '(\.[^']+)'|import\('(\.[^']+)'\)/g;

const PACKAGE = /(?:from|import) '((?:@[^/']+\/)?[^./'][^/']*)/g;

const files = globSync(['src/**/*.ts', 'devnet/**/*.ts'], { cwd: root }).sort();

function moduleOf(file: string): string {
  const [top = '', folder = '', module = '', ...rest] = file.split('/');
  if (top !== 'src') return top;
  if (rest.length > 0 && (folder === 'core' || folder === 'features')) return `${folder}/${module}`;
  return module === '' ? 'app' : folder;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return Array.from(text.matchAll(IMPORT), ([, fixed, dynamic]) => relative(root, join(root, dirname(file), fixed ?? dynamic ?? '')));
}

describe('imported packages', () => {
  it('are installed at the first start, which installs no development dependencies', () => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const imported = files.flatMap((file) => Array.from(readFileSync(join(root, file), 'utf8').matchAll(PACKAGE), ([, name = '']) => name));
    const packages = new Set(imported.filter((name) => !name.startsWith('node:')));
    expect(packages.size).toBeGreaterThan(5);
    expect([...packages].filter((name) => !(name in dependencies || name in optionalDependencies))).toEqual([]);
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
    const others = files.filter((file) => !['core/ledger', 'features/verify'].includes(moduleOf(file)));
    const inner = others.flatMap((file) =>
      importsOf(file)
        .filter((imported) => moduleOf(imported) === 'ledger' && imported !== 'src/core/ledger/ledger.ts')
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
