import { isAbsolute } from 'node:path';

/** A certificate or a macaroon: in a file that is read at each connect, or in the URL itself. */
export type Secret = { readonly file: string } | { readonly bytes: Buffer };

/** Where an LND node is, and how to authenticate to it. */
export interface LndAddress {
  readonly host: string;
  /** The port of LND's REST interface. */
  readonly port: number;
  /** The node's certificate; absent if a public authority has signed it. */
  readonly certificate: Secret | undefined;
  readonly macaroon: Secret;
  /** Whether invoices contain hints to the node's private channels. */
  readonly hopHints: boolean;
  /** Whether the node holds keysends until the service decides, because LND runs with `keysend-hold-time`. */
  readonly holdsKeysends: boolean;
}

/** Text that is not the URL of an LND node. The message says what to write, and never repeats the macaroon. */
export class InvalidLndUrl extends Error {
  override readonly name = 'InvalidLndUrl';

  constructor(reason: string) {
    super(`${reason}. Example: lnd+rest://host:8080?cert=/path/tls.cert&macaroon=/path/satchel.macaroon`);
  }
}

const PARAMETERS = ['cert', 'macaroon', 'private', 'keysends'];
/** In `tls.cert`, LND also stores the text form of a certificate. */
const PEM = /^-----BEGIN CERTIFICATE-----/;

export function isLndUrl(text: string): boolean {
  return /^(lnd\+rest|lndconnect):/i.test(text);
}

/**
 * Parses `lnd+rest://host:port?cert=/path&macaroon=/path` or `lndconnect://host:port?cert=<base64url>&macaroon=<base64url>`. Both accept
 * `private=true` and `keysends=held`.
 * @throws InvalidLndUrl
 */
export function parseLndUrl(text: string): LndAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url && isLndUrl(text)) throw new InvalidLndUrl('the URL of the LND node has an invalid host or port; a port is 1 to 65535');
  if (!url || !isLndUrl(url.protocol)) throw new InvalidLndUrl('this is not the URL of an LND node');
  if (!url.hostname) throw new InvalidLndUrl('the URL of the LND node has no host: write two slashes, then host and port');
  if (!url.port) throw new InvalidLndUrl('the URL of the LND node has no port: add the port of its REST interface, usually 8080');
  if (url.username || url.password || url.hash || !['', '/'].includes(url.pathname)) {
    throw new InvalidLndUrl('the URL of the LND node has more than host, port, and parameters after a question mark');
  }
  const parameters = readParameters(url.search);
  const secret = url.protocol.toLowerCase() === 'lndconnect:' ? inlineSecret : secretFile;
  const { cert, macaroon, private: hints = 'false', keysends } = parameters;
  if (macaroon === undefined) throw new InvalidLndUrl('the URL of the LND node has no parameter `macaroon`');
  if (!['true', 'false'].includes(hints)) throw new InvalidLndUrl('`private` must be true or false');
  if (keysends !== undefined && keysends !== 'held') throw new InvalidLndUrl('`keysends` must be held, or absent');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port),
    certificate: cert === undefined ? undefined : secret('cert', cert),
    macaroon: secret('macaroon', macaroon),
    hopHints: hints === 'true',
    holdsKeysends: keysends === 'held',
  };
}

/** Returns the address without its secrets, for messages and logs. */
export function publicLndAddress({ host, port }: Pick<LndAddress, 'host' | 'port'>): string {
  return `the LND node at ${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** `URLSearchParams` would turn a plus sign of base64 or of a path into a space. */
function readParameters(search: string): Partial<Record<string, string>> {
  const parameters: Partial<Record<string, string>> = {};
  for (const pair of search.slice(1).split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = at === -1 ? pair : pair.slice(0, at);
    if (!PARAMETERS.includes(name)) {
      // Anything but a short word may be a secret at the wrong place.
      const shown = /^[a-z_-]{1,20}$/i.test(name) ? `\`${name}\`` : 'a parameter without a name';
      throw new InvalidLndUrl(`the URL of the LND node has ${shown}, and only ${PARAMETERS.join(', ')} are known`);
    }
    if (parameters[name] !== undefined) throw new InvalidLndUrl(`the URL of the LND node has two parameters \`${name}\``);
    parameters[name] = decoded(name, pair.slice(at + 1));
    if (at === -1 || parameters[name] === '') throw new InvalidLndUrl(`the parameter \`${name}\` has no value`);
  }
  return parameters;
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidLndUrl(`the parameter \`${name}\` has a percent sign that is not followed by two hexadecimal digits`);
  }
}

function secretFile(name: string, path: string): Secret {
  if (isAbsolute(path)) return { file: path };
  const hint = /^[\w+-]+=*$/.test(path) ? `; for the ${name} itself in base64url, write lndconnect:// instead of lnd+rest://` : '';
  throw new InvalidLndUrl(`\`${name}\` must be the full path of a file, beginning with /${hint}`);
}

function inlineSecret(name: string, text: string): Secret {
  if (text.startsWith('/') || !/^[\w+/-]+=*$/.test(text)) {
    throw new InvalidLndUrl(`\`${name}\` must be base64url in an lndconnect URL; for the path of a file, write lnd+rest:// instead`);
  }
  return { bytes: Buffer.from(text, 'base64url') };
}

/** Returns a certificate as PEM text. */
export function certificatePem(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (PEM.test(text.trimStart())) return text;
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
