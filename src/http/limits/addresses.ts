import { isIP, isIPv4, isIPv6 } from 'node:net';

const IPV4_MAPPED = [0, 0, 0, 0, 0, 0xffff];

/** Returns the eight 16-bit groups of an IPv6 address. */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = ip.split('::').map((part) => part.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, hexOf));
  const read = (part: string | undefined) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [first, last] = [read(head), read(tail)];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

/** Returns the last four bytes of an address, which are written as those of IPv4, as two groups. */
function hexOf(_text: string, ...bytes: string[]): string {
  const [a, b, c, d] = bytes.map(Number) as [number, number, number, number];
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/**
 * Returns an address in the one form that the limits compare: IPv4 also where it is mapped into IPv6, IPv6 without a zone, in lower case and without
 * `::`. Returns undefined for a text that is no address.
 */
export function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const groups = groupsOf(text.replace(/%.*$/, ''));
  if (IPV4_MAPPED.some((group, index) => groups[index] !== group)) return groups.map((group) => group.toString(16)).join(':');
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/**
 * Returns the address in an entry of X-Forwarded-For: alone, or in one of the forms of RFC 7239, section 6, with a port, in brackets or quoted. Returns
 * undefined for an entry that hides the address (`unknown`, `_hidden`), and for any other text.
 */
export function forwardedAddress(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const [, ipv6, ipv4 = text] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(text) ?? [];
  if (ipv6 !== undefined) return isIPv6(ipv6) ? plainAddress(ipv6) : undefined;
  return plainAddress(ipv4);
}

/** Returns the part of an address that identifies a client: all of an IPv4 address, the first 64 bits of an IPv6 address. */
export function networkOf(ip: string): string {
  return isIPv4(ip) ? ip : (networksOf(ip).at(-1) ?? ip);
}

/** Returns the address of requests that the service sends to itself for a wallet, or an account. It has the form of no IP address. */
export function insideAddress(accountId: string, walletId = ''): string {
  return `${accountId}/${walletId}`;
}

/**
 * Returns the networks to which an address belongs, the largest first. A provider assigns an IPv6 network of 32 bits, a customer 48 to 64; a person
 * may have several addresses of an IPv4 network of 24 bits. An account has several wallets.
 */
export function networksOf(ip: string): string[] {
  if (ip.includes('/')) return [ip.slice(0, ip.indexOf('/')), ip];
  const address = plainAddress(ip) ?? ip;
  if (!address.includes(':')) return [address.replace(/\.\d+$/, ''), address];
  const parts = address.split(':');
  return [2, 3, 4].map((length) => parts.slice(0, length).join(':'));
}

/** Returns the networks of an address with the block in front to which all of them belong, and which a registry has assigned to many providers. */
export function withBlock(networks: readonly string[]): string[] {
  return [...networks.slice(0, 1).map((network) => network.split(/[.:]/, 1)[0] ?? network), ...networks];
}

/** A name that is limited, and how many times the rate of a single address it may have. */
export interface Share {
  readonly name: string;
  readonly times: number;
}

/** How many times the rate of one address all addresses of a site have (48 bits of IPv6), and of a provider (32 bits; 24 bits of IPv4). */
const SITE_TIMES = 4;
const PROVIDER_TIMES = 64;
export const WIDTHS = [1, SITE_TIMES, PROVIDER_TIMES] as const;

/**
 * Returns the shares of which every request of an address takes a part. A customer of a provider has 65,536 networks of 64 bits, so without the wider
 * ones it would have as many times each limit.
 */
export function sharesOf(ip: string): Share[] {
  const [widest = ip, ...networks] = networksOf(ip);
  if (ip.includes('/')) return [{ name: ip, times: 1 }];
  if (networks.length === 1)
    return [
      { name: networks[0] ?? ip, times: 1 },
      { name: widest, times: PROVIDER_TIMES },
    ];
  return [
    { name: networks[1] ?? ip, times: 1 },
    { name: networks[0] ?? ip, times: SITE_TIMES },
    { name: widest, times: PROVIDER_TIMES },
  ];
}

export function isLoopback(ip: string): boolean {
  return /^(::1$|0:0:0:0:0:0:0:1$|(::ffff:)?127\.)/.test(ip);
}

/** Returns whether the host of a URL is this machine. A URL with a user name or password is rejected. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  const address = hostname.replace(/^\[|\]$/g, '');
  return username === '' && password === '' && (hostname === 'localhost' || (isIP(address) !== 0 && isLoopback(address)));
}
