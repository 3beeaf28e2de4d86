import { BlockList, isIP } from 'node:net';

/**
 * The IPv4 ranges of the IANA special-purpose registry (https://www.iana.org/assignments/iana-ipv4-special-registry), multicast, and Azure's
 * platform address, which only answers inside of Azure.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The only IPv6 range that IANA assigns to networks. Everything outside is special: loopback, mapped IPv4, NAT64, local, multicast. */
const GLOBAL_IPV6 = ['2000::/3'];

/** The ranges of the IANA special-purpose registry within it: protocol assignments with Teredo, documentation, 6to4, AS112. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const specialIpv4 = blockList(SPECIAL_IPV4);
const globalIpv6 = blockList(GLOBAL_IPV6);
const specialIpv6 = blockList(SPECIAL_IPV6);

/** Returns whether an address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone, such as fe80::1%eth0, belongs to a link.
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4');
    case 6:
      return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** The hosts and addresses that the operator allows although they are private, use plain HTTP or an unusual port. */
export interface AllowList {
  hasHost(host: string, port: number): boolean;
  hasAddress(address: string): boolean;
  /** Whether names may resolve to allowed addresses. */
  readonly hasRanges: boolean;
}

/** Parses OUTBOUND_ALLOW: hosts, host:port pairs and address ranges, separated by commas. @throws Error with the rule */
export function parseAllowList(text: string): AllowList {
  const entries = text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim());
  const ranges = entries.filter(isRange);
  const hosts = new Set(entries.flatMap((entry, index) => (isRange(entry) ? [] : hostEntry(entry, index + 1))));
  // A list that contained both families would compare IPv4 addresses with ranges of mapped IPv6 addresses.
  const ipv4 = blockList(ranges.filter((range) => !range.includes(':')));
  const ipv6 = blockList(ranges.filter((range) => range.includes(':')));
  return {
    hasRanges: ranges.length > 0,
    hasHost: (host, port) => hosts.has(host) || hosts.has(`${host} ${port}`),
    hasAddress: (address) => (isIP(address) === 4 ? ipv4.check(address, 'ipv4') : isIP(address) === 6 && ipv6.check(address, 'ipv6')),
  };
}

/** Returns `host` or `host port`, with the host as URLs have it. */
function hostEntry(entry: string, position: number): string {
  const [, text = '', port] = /^(\[[^\]]+\]|[^:/\\?#@\s]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const host = URL.canParse(`http://${text}`) ? hostOf(new URL(`http://${text}`)) : '';
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
  if (!isHost(host) || !isPort)
    throw new Error(
      `entry ${position} must be a host, a host:port or an address range; for example OUTBOUND_ALLOW=pay.example:8080,10.0.0.0/8,[::1]:3000.`,
    );
  return port === undefined ? host : `${host} ${Number(port)}`;
}

export interface SocksProxy {
  readonly host: string;
  readonly port: number;
}

/** Parses OUTBOUND_PROXY. @throws Error with the rule */
export function parseProxy(text: string): SocksProxy {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [, host = '', port] = /^socks5h:\/\/(\[[0-9a-f:.]+\]|[^:/?#@[\]]+):(\d{1,5})\/?$/.exec(text) ?? [];
  if (!url || host === '' || Number(port) < 1)
    throw new Error('the proxy must have the form socks5h://host:port; for example socks5h://127.0.0.1:9050.');
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns whether a URL's host is an address or a name that DNS can have. A name with a dot at its end would equal another name. */
export function isHost(host: string): boolean {
  return isIP(host) > 0 || /^(?=.{1,253}$)([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/.test(host);
}

/** Returns whether a text is an address, or a range of addresses such as 10.0.0.0/8. */
export function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
