import { isIP, isIPv6 } from 'node:net';

/** Who asks from an address, as far as limits can tell: an IPv6 customer has a whole /64 to ask from. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip) || ip.includes('.')) return ip;
  const [head = '', tail] = ip.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4).join(':');
}

/** Whether an address is this machine itself. */
export function isLoopback(ip: string): boolean {
  return /^(::1$|(::ffff:)?127\.)/.test(ip);
}

/** Whether a URL names this machine itself, with nothing but a host and a port before its path. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  const address = hostname.replace(/^\[|\]$/g, '');
  return username === '' && password === '' && (hostname === 'localhost' || (isIP(address) !== 0 && isLoopback(address)));
}
