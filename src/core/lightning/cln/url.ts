/** Where lightningd is reached: through its Unix socket, or through its plugin clnrest. */
export type ClnAddress = SocketAddress | RestAddress;

export interface SocketAddress {
  readonly transport: 'socket';
  /** The path of `lightning-rpc`. */
  readonly path: string;
}

export interface RestAddress {
  readonly transport: 'rest';
  readonly host: string;
  readonly port: number;
  /** The file with the certificate authority of clnrest (`ca.pem`). Absent: the authorities of the system. */
  readonly certPath: string | undefined;
  /** The file with the rune, or the rune itself. */
  readonly rune: { readonly path: string } | { readonly text: string };
}

const EXPECTED =
  'use cln+unix:///path/to/lightning-rpc, or cln+rest://host:port?cert=/path/to/ca.pem&rune=/path/to/file with a file that contains the rune';

/** Text that is not the URL of a Core Lightning node. The message never repeats the text, which may contain a rune. */
export class InvalidClnUrl extends Error {
  override readonly name = 'InvalidClnUrl';

  constructor(reason: string) {
    super(`${reason}; ${EXPECTED}`);
  }
}

const DEFAULT_REST_PORT = 3010;

export function isClnUrl(text: string): boolean {
  return text.startsWith('cln+unix:') || text.startsWith('cln+rest:');
}

/** Parses `cln+unix://…` or `cln+rest://…`. @throws InvalidClnUrl */
export function parseClnUrl(text: string): ClnAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isClnUrl(text)) throw new InvalidClnUrl('this is not the URL of a Core Lightning node');
  if (url.username || url.password || url.hash) throw new InvalidClnUrl('the URL must not have a user, a password or a fragment');
  return url.protocol === 'cln+unix:' ? socketAddress(url) : restAddress(url);
}

function socketAddress(url: URL): SocketAddress {
  if (url.host) throw new InvalidClnUrl('the path of the socket must begin with a slash, after cln+unix://');
  if (url.search) throw new InvalidClnUrl('the URL of a socket has no parameters');
  if (url.pathname.length < 2) throw new InvalidClnUrl('the URL has no path of a socket');
  return { transport: 'socket', path: decoded(url.pathname) };
}

function restAddress(url: URL): RestAddress {
  const { searchParams, hostname, pathname } = url;
  if (!hostname) throw new InvalidClnUrl('the URL has no host');
  if (pathname !== '' && pathname !== '/') throw new InvalidClnUrl('the URL must not have a path');
  const unknown = [...searchParams.keys()].some((key) => key !== 'cert' && key !== 'rune');
  if (unknown) throw new InvalidClnUrl('the parameters of the URL are cert and rune, no others');
  const [rune, ...moreRunes] = searchParams.getAll('rune');
  const [certPath, ...moreCerts] = searchParams.getAll('cert');
  if (moreRunes.length > 0 || moreCerts.length > 0) throw new InvalidClnUrl('the URL has a parameter twice');
  if (!rune) throw new InvalidClnUrl('the URL has no rune');
  if (!rune.includes('/') && !isRune(rune)) throw new InvalidClnUrl('the parameter rune is neither a path with a slash nor a rune');
  if (certPath === '') throw new InvalidClnUrl('the parameter cert is empty');
  return {
    transport: 'rest',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || DEFAULT_REST_PORT),
    certPath,
    rune: rune.includes('/') ? { path: rune } : { text: rune },
  };
}

/** A rune is base64 for URLs. */
export function isRune(text: string): boolean {
  return /^[\w-]+=*$/.test(text);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new InvalidClnUrl('the path of the socket is not correctly encoded');
  }
}

/** Returns the address without the rune, for messages and logs. */
export function publicAddress(address: ClnAddress): string {
  if (address.transport === 'socket') return address.path;
  return `https://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}
