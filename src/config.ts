import { accessSync, constants, mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseFakeUrl } from '../devnet/fake/fake-url.ts';
import { parsePlaygroundUrl } from '../devnet/playground/shared.ts';
import { errorMessage } from './kernel/log.ts';

/** Everything that can be configured, in one place. Read from the environment, checked before anything starts. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The service's address as others see it, without a slash at its end; links are built from it and from nothing else. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** `sqlite:<path>` or `postgres://…` */
  readonly databaseUrl: string;
  /** `playground:`, or `playground://host:port?secret=…` for one that several instances share, or the test tool `fake:?seed=…`. */
  readonly lightningUrl: string;
  readonly logLevel: string;
  /** A `sak_…` that must exist after the start. */
  readonly bootstrapSecretKey: string | undefined;
  /** How long an answer waits for a payment to end before it says 202; shorter than the server keeps a silent connection (120 s). */
  readonly paymentWaitSeconds: number;
  /** How many payments one wallet may have in flight. */
  readonly maxPaymentsInFlight: number;
  /** How many open invoices one wallet may have. */
  readonly maxOpenInvoices: number;
  /** How often the ledger is compared with the node. */
  readonly reconcileSeconds: number;
  /** A payment that has been pending for so long is reported as stuck. */
  readonly stuckPaymentSeconds: number;
  /** Requests a second of one key, and how many it may save up; 0: no limit. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** The same for an address, of requests without a key of ours and of public LNURL routes. */
  readonly addressRateLimit: { readonly perSecond: number; readonly burst: number };
  /** Requests of one key that are answered at the same time. */
  readonly maxRequestsAtOnce: number;
  readonly maxConnections: number;
  /** Bytes of responses that one key, and one address, may leave unread. */
  readonly maxUnsentBytes: number;
  /** Whose X-Forwarded-For names the caller: a number of proxies, or their addresses; undefined: nobody's. */
  readonly trustProxy: number | string[] | undefined;
  /** Whoever shows it may read /metrics; without it only the machine itself. */
  readonly metricsToken: string | undefined;
  /** How old the last proof of liabilities may become before the next one is made; 0: none are made. */
  readonly proofIntervalSeconds: number;
  /** The ledger (`lnd_…`) that gives way to this one on the node; see docs/configuration.md. */
  readonly takeOverFromLedger: string | undefined;
  /** The wallet that gets keysends which name none. */
  readonly keysendWalletId: string | undefined;
  /** Whether `is_keysend` is null instead of 0 where it is not 1, for old clients that cannot read a 0 there. */
  readonly legacyNullKeysend: boolean;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** A setting that Satchel cannot start with; the message says which and what to do. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
}

/** @throws InvalidConfig for the first setting that is wrong. Secrets are never part of the message. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const get = (name: string) => env[name]?.trim() || undefined;
  const host = get('HOST') ?? '127.0.0.1';
  const port = integer(get, 'PORT', 4021, 0, 65_535);
  const dataDir = get('DATA_DIR') ?? './data';
  return {
    host,
    port,
    publicUrl: publicUrl(get('PUBLIC_URL') ?? `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : bracketed(host)}:${port}`),
    dataDir,
    databaseUrl: matching(
      get('DATABASE_URL') ?? `sqlite:${dataDir}/satchel.db`,
      'DATABASE_URL',
      /^(sqlite:.|postgres(ql)?:\/\/.)/,
      'sqlite:./data/satchel.db or postgres://user:password@host/database',
    ),
    lightningUrl: lightningUrl(get('LIGHTNING_URL') ?? 'playground:'),
    logLevel: matching(
      get('LOG_LEVEL') ?? 'info',
      'LOG_LEVEL',
      new RegExp(`^(${LOG_LEVELS.join('|')})$`),
      `one of ${LOG_LEVELS.join(', ')}`,
    ),
    bootstrapSecretKey: bootstrapKey(get('BOOTSTRAP_SECRET_KEY')),
    paymentWaitSeconds: integer(get, 'PAYMENT_WAIT_SECONDS', 50, 0, 110),
    maxPaymentsInFlight: integer(get, 'MAX_PAYMENTS_IN_FLIGHT', 100, 1, 10_000),
    maxOpenInvoices: integer(get, 'MAX_OPEN_INVOICES', 1000, 1, 1_000_000),
    reconcileSeconds: integer(get, 'RECONCILE_SECONDS', 300, 1, 86_400),
    stuckPaymentSeconds: integer(get, 'STUCK_PAYMENT_SECONDS', 3600, 0, 604_800),
    rateLimit: {
      perSecond: integer(get, 'RATE_LIMIT_PER_SECOND', 1000, 0, 1_000_000),
      burst: integer(get, 'RATE_LIMIT_BURST', 5000, 1, 1_000_000),
    },
    addressRateLimit: {
      perSecond: integer(get, 'ADDRESS_RATE_LIMIT_PER_SECOND', 100, 0, 1_000_000),
      burst: integer(get, 'ADDRESS_RATE_LIMIT_BURST', 500, 1, 1_000_000),
    },
    maxRequestsAtOnce: integer(get, 'MAX_REQUESTS_AT_ONCE', 2000, 1, 100_000),
    maxConnections: integer(get, 'MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    maxUnsentBytes: integer(get, 'MAX_UNSENT_BYTES', 16_000_000, 1_000_000, 1_000_000_000),
    trustProxy: trustProxy(get('TRUST_PROXY')),
    metricsToken: optionalMatching(get('METRICS_TOKEN'), 'METRICS_TOKEN', /^[\x21-\x7e]{16,200}$/, '16 to 200 characters without spaces'),
    proofIntervalSeconds: integer(get, 'PROOF_INTERVAL_SECONDS', 3600, 0, 31_536_000),
    takeOverFromLedger: optionalMatching(
      get('TAKE_OVER_FROM_LEDGER'),
      'TAKE_OVER_FROM_LEDGER',
      /^lnd_[0-9A-Za-z]+$/,
      'the id of a ledger (lnd_…)',
    ),
    keysendWalletId: optionalMatching(get('KEYSEND_WALLET_ID'), 'KEYSEND_WALLET_ID', /^wal_[0-9A-Za-z]+$/, 'the id of a wallet (wal_…)'),
    legacyNullKeysend: boolean(get, 'LEGACY_NULL_KEYSEND'),
  };
}

/** Makes DATA_DIR for its owner alone: whoever reads its files reads keys, and preimages of invoices that are not paid yet. @throws InvalidConfig */
export function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InvalidConfig(`DATA_DIR must be a folder that this user may write, or one that can be made (${code}).`);
  }
}

function integer(get: (name: string) => string | undefined, name: string, fallback: number, min: number, max: number): number {
  const text = get(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidConfig(`${name} must be a whole number from ${min} to ${max}.`);
}

function boolean(get: (name: string) => string | undefined, name: string): boolean {
  const text = get(name) ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidConfig(`${name} must be true or false.`);
}

function matching(value: string, name: string, form: RegExp, expected: string): string {
  if (form.test(value)) return value;
  throw new InvalidConfig(`${name} must be ${expected}.`);
}

function optionalMatching(value: string | undefined, name: string, form: RegExp, expected: string): string | undefined {
  return value === undefined ? undefined : matching(value, name, form, expected);
}

function bootstrapKey(key: string | undefined): string | undefined {
  return optionalMatching(key, 'BOOTSTRAP_SECRET_KEY', /^sak_[0-9A-Za-z]{20,120}$/, 'sak_ followed by 20 to 120 random letters and digits');
}

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  if (!plain)
    throw new InvalidConfig(
      'PUBLIC_URL must be an http or https address such as https://wallet.example.com, without user, query or fragment.',
    );
  return text.replace(/\/+$/, '');
}

/** The value is never repeated: it may carry the node's secret. */
function lightningUrl(text: string): string {
  if (text === 'playground:') return text;
  const parse = text.startsWith('playground://') ? parsePlaygroundUrl : text.startsWith('fake:') ? parseFakeUrl : undefined;
  if (!parse) throw new InvalidConfig('LIGHTNING_URL must be playground:, playground://host:port?secret=… or, for tests, fake:?seed=1.');
  try {
    parse(text);
    return text;
  } catch (error) {
    throw new InvalidConfig(`LIGHTNING_URL: ${errorMessage(error)}`);
  }
}

/** Anything may stand in X-Forwarded-For, so it counts only when somebody who is known has written it. */
function trustProxy(text: string | undefined): number | string[] | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  const list = text.split(',').map((one) => one.trim());
  if (list.every(isNetwork)) return list;
  throw new InvalidConfig('TRUST_PROXY must be the number of proxies (1 to 9), or their addresses such as 127.0.0.1,10.0.0.0/8.');
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
