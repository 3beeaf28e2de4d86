import { accessSync, constants, mkdirSync } from 'node:fs';
import { parseFakeUrl } from '../devnet/fake/fake-url.ts';
import { parsePlaygroundUrl } from '../devnet/playground/shared.ts';
import type { Durability } from './core/db/postgres-server.ts';
import { isClnUrl, parseClnUrl } from './core/lightning/cln/url.ts';
import { isLndUrl, parseLndUrl } from './core/lightning/lnd/url.ts';
import { parseAllowList, parseProxy } from './core/outbound/addresses.ts';
import { parseCurrencies, parseRateProviders } from './core/rates/providers.ts';
import { readEmailSettings, readTelegramSettings } from './features/notifications/settings.ts';
import { readBrand, readEmbedSites } from './features/payer-pages/brand.ts';
import { contactUri } from './features/service/security-txt.ts';
import { addressDomains, browserUrl, type ListenAddress, localHosts, publicUrl, trustProxy } from './service-addresses.ts';
import { type Environment, InvalidConfig, parsed, type Settings, settingsOf } from './settings.ts';

/** The configuration. It is read from the environment and checked before anything starts. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Reads the configuration. @throws InvalidConfig for the first invalid setting. The message never contains a secret. */
export function readConfig(env: Environment) {
  const settings = settingsOf(env);
  const { get, integer, boolean, matching } = settings;
  const host = get('HOST') ?? '127.0.0.1';
  const port = integer('PORT', 4021, 0, 65_535);
  const dataDir = get('DATA_DIR') ?? './data';
  const database = (name: string) =>
    matching(name, /^(sqlite:.|postgres(ql)?:\/\/.)/, 'sqlite:./data/satchel.db or postgres://user:password@host/database');
  const url = publicUrl(get('PUBLIC_URL') ?? browserUrl({ host, port }));
  return {
    host,
    port,
    /** The public URL of the service, without a trailing slash. Links are built only from it. */
    publicUrl: url,
    ...readHosts(settings, { host, port, url }),
    dataDir,
    /** `sqlite:<path>` or `postgres://…` */
    databaseUrl: database('DATABASE_URL') ?? `sqlite:${dataDir}/satchel.db`,
    /** What keeps confirmed commits on PostgreSQL: the server and its standbys, or storage that a provider replicates. */
    databaseDurability: (matching('DATABASE_DURABILITY', /^(server|managed)$/, 'server or managed') ?? 'server') as Durability,
    /** The new database of `satchel move`. */
    targetDatabaseUrl: database('TARGET_DATABASE_URL'),
    /** One URL per node: `lnd+rest://…`, `lndconnect://…`, `cln+unix://…`, `cln+rest://…`, `playground:`, `playground://…`, or the test tool `fake:?seed=…`. */
    lightningUrls: lightningUrls(get('LIGHTNING_URL') ?? 'playground:'),
    logLevel: matching('LOG_LEVEL', new RegExp(`^(${LOG_LEVELS.join('|')})$`), `one of ${LOG_LEVELS.join(', ')}`) ?? 'info',
    /** A secret API key (`sak_…`) that the start creates unless it exists. */
    bootstrapSecretKey: matching(
      'BOOTSTRAP_SECRET_KEY',
      /^sak_[0-9A-Za-z]{20,120}$/,
      'sak_ followed by 20 to 120 random letters and digits',
    ),
    /** The commit of this code, where it runs without its clone. */
    commit: matching('COMMIT', /^[0-9a-f]{7,64}$/, 'the hash of a commit'),
    /** How long a response waits for the end of a payment before it is a 202. Less than the server's idle timeout (120 s). */
    paymentWaitSeconds: integer('PAYMENT_WAIT_SECONDS', 50, 0, 110),
    /** The maximum of pending payments of one wallet. */
    maxPaymentsInFlight: integer('MAX_PAYMENTS_IN_FLIGHT', 100, 1, 10_000),
    /** The maximum of open invoices of one wallet. */
    maxOpenInvoices: integer('MAX_OPEN_INVOICES', 1000, 1, 1_000_000),
    /** The maximum of active secret keys of an account without those of its wallets, and of each wallet. */
    maxActiveKeys: integer('MAX_ACTIVE_KEYS', 100, 2, 100_000),
    /** Received amounts up to it are credited when the node reports them. Larger ones are credited when they are final. */
    creditBeforeFinalMsat: integer('CREDIT_BEFORE_FINAL_MSAT', 0, 0, 1_000_000_000),
    ...readHolds(settings),
    /** The age of a node's newest block from which it counts as behind the blockchain; 0: no age. Undefined: 5400, and on regtest none. */
    maxBlockAgeSeconds: get('MAX_BLOCK_AGE_SECONDS') === undefined ? undefined : integer('MAX_BLOCK_AGE_SECONDS', 0, 0, 86_400),
    /** How long a node starts new attempts of a payment. Undefined: 60, with Core Lightning 40. */
    attemptsSeconds: get('ATTEMPTS_SECONDS') === undefined ? undefined : integer('ATTEMPTS_SECONDS', 60, 10, 3600),
    /** The interval between reconciliations with the node. */
    reconcileSeconds: integer('RECONCILE_SECONDS', 300, 1, 86_400),
    /** The age at which a pending payment is reported as stuck. */
    stuckPaymentSeconds: integer('STUCK_PAYMENT_SECONDS', 3600, 0, 604_800),
    /** The rate limit of one key, in requests per second and burst size; 0 per second: no limit. */
    rateLimit: readRate(settings, 'RATE_LIMIT', { perSecond: 1000, burst: 5000 }),
    /** The rate limit of one address, for requests without a valid key and for public LNURL routes. */
    addressRateLimit: readRate(settings, 'ADDRESS_RATE_LIMIT', { perSecond: 100, burst: 500 }),
    /** Whether attempts to log in are not limited. */
    hasUnlimitedLogins: boolean('UNLIMITED_LOGINS'),
    /** The maximum of concurrent requests of one key. */
    maxRequestsAtOnce: integer('MAX_REQUESTS_AT_ONCE', 2000, 1, 100_000),
    maxConnections: integer('MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    /** The maximum of unread response bytes of one account, and of one address. */
    maxUnsentBytes: integer('MAX_UNSENT_BYTES', 16_000_000, 1_000_000, 1_000_000_000),
    /** The proxies whose X-Forwarded-For is trusted: their number or their addresses; undefined: none. */
    trustProxy: trustProxy(get('TRUST_PROXY')),
    /** The bearer token for /metrics; undefined: only loopback addresses may read /metrics. */
    metricsToken: matching('METRICS_TOKEN', /^[\x21-\x7e]{16,200}$/, '16 to 200 characters without spaces'),
    /** The interval between proofs of liabilities; 0: none. */
    proofIntervalSeconds: integer('PROOF_INTERVAL_SECONDS', 3600, 0, 31_536_000),
    /** How many days of running time events are kept. */
    eventRetentionDays: integer('EVENT_RETENTION_DAYS', 90, 1, 3650),
    /** The ledger (`lnd_…`) that this one replaces on the node; see docs/configuration.md. */
    takeOverFromLedger: matching('TAKE_OVER_FROM_LEDGER', /^lnd_[0-9A-Za-z]+$/, 'the id of a ledger (lnd_…)'),
    /** The wallet for keysends without a wallet id. */
    keysendWalletId: matching('KEYSEND_WALLET_ID', /^walx?_[0-9A-Za-z]+$/, 'the id of a wallet (wal_…)'),
    /** The LNDhub API, the account in which apps create wallets (undefined: they cannot), and whether its errors have the status 200. */
    lndhub: readLndhub(settings),
    /** Whether the paths under which other programs published pay links that were imported are answered. */
    hasImportedPaths: boolean('IMPORTED_PATHS'),
    /** Whether `is_keysend` is null instead of 0, for old clients that cannot parse 0. */
    legacyNullKeysend: boolean('LEGACY_NULL_KEYSEND'),
    /** Whether payers may request zaps, whose receipts are published to relays that they choose. */
    hasZaps: boolean('ZAPS'),
    /** The private hosts and addresses that URLs of users may name. */
    outboundAllow: parsed('OUTBOUND_ALLOW', get('OUTBOUND_ALLOW') ?? '', parseAllowList),
    /** The key that encrypts signing secrets, at least 32 bytes; undefined: that of a file in `dataDir`. */
    secretKey: secretKey(get('SECRET_KEY')),
    /** The fingerprint of a lost secret key that the current one replaces. */
    replaceSecretKey: matching('REPLACE_SECRET_KEY', /^[0-9a-f]{16}$/, 'the fingerprint of a secret key, 16 hexadecimal characters'),
    nwc: readNwc(settings, url),
    backup: readBackups(settings, dataDir),
    fiat: readFiat(settings),
    /** Where alerts are sent: by e-mail and to Telegram. Both contain secrets. */
    notifications: readNotifications(settings),
    payerPages: readPayerPages(settings, url),
    /** The proxy for .onion hosts; undefined: they cannot be reached. */
    outboundProxy: readProxy(settings),
  };
}

/** @throws InvalidConfig */
function readSecurityContacts(text = ''): string[] {
  const contacts = text.split(',').map((one) => one.trim());
  return contacts
    .filter((contact) => contact !== '')
    .map((contact) => {
      const uri = contactUri(contact);
      if (uri === undefined)
        throw new InvalidConfig('SECURITY_CONTACT must be e-mail addresses, https: URLs or tel: numbers, separated by commas.');
      return uri;
    });
}

function readHosts({ get }: Settings, { url, ...address }: ListenAddress & { readonly url: string }) {
  return {
    /** Where vulnerabilities of this instance are reported, as URIs; none: nowhere. */
    securityContacts: readSecurityContacts(get('SECURITY_CONTACT')),
    /** The domains of Lightning addresses, in lower case. The first is the host of `publicUrl`. */
    addressDomains: addressDomains(url, get('ADDRESS_DOMAINS')),
    /** The hosts under which this machine reaches the service, with the port as URLs have it. */
    localHosts: localHosts(address),
  };
}

/** The settings of hold invoices. */
function readHolds({ integer, matching }: Settings) {
  const isOn = matching('HOLD_INVOICES', /^(true|false)$/, 'true, false or absent');
  return {
    /** Whether hold invoices are offered; undefined: on nodes that they do not endanger. */
    holdInvoices: isOn === undefined ? undefined : isOn === 'true',
    /** How long a payment of a hold invoice waits for the decision of its wallet, at most. */
    maxHoldSeconds: integer('MAX_HOLD_SECONDS', 3600, 60, 1_209_600),
    /** How many payments of hold invoices are held at once, at most. */
    holdLimits: {
      perWallet: integer('MAX_HELD_PER_WALLET', 10, 1, 10_000),
      perAccount: integer('MAX_HELD_PER_ACCOUNT', 50, 1, 10_000),
      /** Half of the HTLCs that a channel can have in one direction. */
      perChannel: integer('MAX_HELD_PER_CHANNEL', 241, 1, 483),
    },
  };
}

function readRate({ integer }: Settings, name: string, { perSecond, burst }: { readonly perSecond: number; readonly burst: number }) {
  return {
    perSecond: integer(`${name}_PER_SECOND`, perSecond, 0, 1_000_000),
    burst: integer(`${name}_BURST`, burst, 1, 1_000_000),
  };
}

function readLndhub({ boolean, matching }: Settings) {
  const account = matching('LNDHUB_CREATE', /^(false|acc_[0-9A-Za-z]+)$/, 'false or the id of an account (acc_…)');
  const isOn = boolean('LNDHUB');
  const isAtRoot = boolean('LNDHUB_AT_ROOT');
  if (isAtRoot && !isOn) throw new InvalidConfig('LNDHUB_AT_ROOT needs LNDHUB=true.');
  return {
    isOn,
    /** Whether the API is also served at `/`, as lndhub.go does. */
    isAtRoot,
    accountId: account === 'false' ? undefined : account,
    hasStatus200: boolean('LNDHUB_STATUS_200'),
  };
}

/** The providers of rates, the currencies of amounts, and how old a rate may be. Without providers there are no amounts in a currency. */
function readFiat({ get, integer }: Settings) {
  const providers = parsed('FIAT_RATES', get('FIAT_RATES') ?? '', parseRateProviders);
  const currencies = parsed('FIAT_CURRENCIES', get('FIAT_CURRENCIES') ?? '', parseCurrencies);
  if ((providers.length === 0) !== (currencies.length === 0))
    throw new InvalidConfig('FIAT_RATES and FIAT_CURRENCIES must be set together.');
  const refreshSeconds = integer('FIAT_RATE_REFRESH_SECONDS', 60, 5, 3600);
  const maxAgeSeconds = integer('FIAT_RATE_MAX_AGE_SECONDS', 600, 30, 86_400);
  if (maxAgeSeconds > refreshSeconds) return { providers, currencies, refreshSeconds, maxAgeSeconds };
  throw new InvalidConfig('FIAT_RATE_MAX_AGE_SECONDS must be more than FIAT_RATE_REFRESH_SECONDS.');
}

function readNotifications({ get }: Settings) {
  const reader = { get, invalid: (message: string) => new InvalidConfig(message) };
  return { email: readEmailSettings(reader), telegram: readTelegramSettings(reader) };
}

function readProxy({ get }: Settings) {
  const proxy = get('OUTBOUND_PROXY');
  return proxy === undefined ? undefined : parsed('OUTBOUND_PROXY', proxy, parseProxy);
}

/** How the pages for payers look, and which sites may show them in a frame. */
function readPayerPages({ get }: Settings, url: string) {
  const brandSettings = { get, invalid: (message: string) => new InvalidConfig(message) };
  return { brand: readBrand(brandSettings, new URL(url).host), embedSites: readEmbedSites(brandSettings) };
}

/** The folder for backups, the seconds between two (0: none are scheduled), the age public keys that can read them, and how many are kept. */
function readBackups({ get, integer }: Settings, dataDir: string) {
  return {
    folder: get('BACKUP_DIR') ?? `${dataDir}/backups`,
    intervalSeconds: integer('BACKUP_INTERVAL_SECONDS', get('BACKUP_DIR') === undefined ? 0 : 3600, 0, 31_536_000),
    recipients: (get('BACKUP_RECIPIENTS') ?? '').split(/[\s,]+/).filter(Boolean),
    keep: backupRetention(get('BACKUP_KEEP')),
  };
}

/** Reads the numbers of hours, days and months of which a backup is kept. */
function backupRetention(text = '24,14,12') {
  const [, hours, days, months] = /^(\d{1,4}),(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  if (hours === undefined)
    throw new InvalidConfig('BACKUP_KEEP must be three numbers: of hours, days and months of which a backup is kept, such as 24,14,12.');
  return { hours: Number(hours), days: Number(days), months: Number(months) };
}

/** The settings of Nostr Wallet Connect. `publicUrl`: that of the service. */
function readNwc({ get, integer, boolean }: Settings, publicUrl: string) {
  return {
    /** The relays of connected apps, the best one first. Empty: apps cannot be connected. */
    relays: nostrRelays(get('NWC_RELAYS')) ?? (usesTestNetwork(get('LIGHTNING_URL')) ? [playgroundRelay(publicUrl)] : []),
    /** The age after which requests of apps are ignored. */
    maxAgeSeconds: integer('NWC_MAX_REQUEST_AGE', 21_600, 600, 604_800),
    /** Whether apps may use the old encryption (NIP-04), too. */
    offersNip04: boolean('NWC_NIP04', true),
  };
}

const MAX_RELAYS = 5;

function nostrRelays(text: string | undefined): string[] | undefined {
  const urls = text?.split(/[\s,]+/).filter(Boolean);
  const isRelay = (one: string) => URL.canParse(one) && /^wss?:$/.test(new URL(one).protocol);
  if (!urls || (urls.length <= MAX_RELAYS && urls.every(isRelay))) return urls && [...new Set(urls)];
  throw new InvalidConfig(
    `NWC_RELAYS must be 1 to ${MAX_RELAYS} URLs of Nostr relays such as wss://relay.example.com, the best one first.`,
  );
}

function usesTestNetwork(lightningUrl = 'playground:'): boolean {
  return /^(playground|fake):/.test(lightningUrl);
}

/** The relay that the playground serves at the address of the service. */
function playgroundRelay(url: string): string {
  return `${url.replace(/^http/, 'ws')}/playground/relay`;
}

/** Creates DATA_DIR, readable only by its owner: its files contain keys, and preimages of unpaid invoices. @throws InvalidConfig */
export function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InvalidConfig(`DATA_DIR must be a folder that this user can write to, or a path where this user can create one (${code}).`);
  }
}

/** Hex is read as hex, although it is also base64. */
function secretKey(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const isHex = /^([0-9a-fA-F]{2}){32,256}$/.test(text);
  const isBase64 = /^[A-Za-z0-9+/]{43,400}={0,2}$/.test(text);
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
  if ((isHex || isBase64) && bytes.length >= 32) return bytes;
  throw new InvalidConfig('SECRET_KEY must be 32 random bytes or more in hex or base64: the output of `openssl rand -hex 32`.');
}

const URL_PARSERS: readonly (readonly [isForm: (text: string) => boolean, parse: (text: string) => unknown])[] = [
  [isLndUrl, parseLndUrl],
  [isClnUrl, parseClnUrl],
  [(text) => text === 'playground:', () => undefined],
  [(text) => text.startsWith('playground://'), parsePlaygroundUrl],
  [(text) => text.startsWith('fake:'), parseFakeUrl],
];

/** Reads one URL per node. The error never contains a URL, which may contain the node's secret. */
function lightningUrls(text: string): [string, ...string[]] {
  const [first = '', ...others] = text.split(/\s+/);
  const urls: [string, ...string[]] = [first, ...others];
  if (new Set(urls).size < urls.length) throw new InvalidConfig('LIGHTNING_URL must not contain the same URL twice.');
  for (const [index, url] of urls.entries()) {
    const name = others.length === 0 ? 'LIGHTNING_URL' : `URL ${index + 1} of LIGHTNING_URL`;
    const [, parse] = URL_PARSERS.find(([isForm]) => isForm(url)) ?? [];
    if (!parse)
      throw new InvalidConfig(
        `${name} must be lnd+rest://host:port?cert=…&macaroon=…, cln+unix:///path/to/lightning-rpc, ` +
          'cln+rest://host:port?cert=…&rune=…, playground:, playground://host:port?secret=… or, for tests, fake:?seed=1.',
      );
    parsed(name, url, parse);
  }
  return urls;
}
