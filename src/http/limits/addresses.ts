import { isIP, isIPv6 } from 'node:net';

/** Returns the part of an address that identifies a client: all of an IPv4 address, the first 64 bits of an IPv6 address. */
export function networkOf(ip: string): string {
  if (!ip.includes(':') || ip.includes('.') || !isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4).join(':');
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
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip;
  if (!isIPv6(mapped)) return [mapped.replace(/\.\d+$/, ''), mapped];
  const parts = networkOf(mapped).split(':');
  return [2, 3, 4].map((length) => parts.slice(0, length).join(':'));
}

export function isLoopback(ip: string): boolean {
  return /^(::1$|(::ffff:)?127\.)/.test(ip);
}

/** Returns whether the host of a URL is this machine. A URL with a user name or password is rejected. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  const address = hostname.replace(/^\[|\]$/g, '');
  return username === '' && password === '' && (hostname === 'localhost' || (isIP(address) !== 0 && isLoopback(address)));
}
