import { isRange } from './core/outbound/addresses.ts';
import { InvalidConfig } from './settings.ts';

/** HOST and PORT. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Returns the URL at which programs on this machine reach the service. */
export function localUrl({ host, port }: ListenAddress): string {
  const isEvery = host === '0.0.0.0' || host === '::';
  return `http://${isEvery ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The values of HOST that only programs on this machine reach. */
const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost'];
/** The values of HOST with which browsers on this machine reach the service as `localhost`. */
const LOCALHOSTS = [...LOOPBACK_HOSTS, '0.0.0.0', '::'];

/** Returns the URL for people on this machine: with `localhost` where that is the same, because browsers allow no passkeys at an IP address. */
export function browserUrl({ host, port }: ListenAddress): string {
  return localUrl({ host: LOCALHOSTS.includes(host) ? 'localhost' : host, port });
}

/** Returns whether only programs on this machine reach the service without a proxy. */
export function listensOnLoopback({ host }: Pick<ListenAddress, 'host'>): boolean {
  return LOOPBACK_HOSTS.includes(host);
}

/** Returns the `host:port` values at which this machine reaches the service, as URLs contain them. */
export function localHosts({ host, port }: ListenAddress): string[] {
  const every = host === '::' ? ['127.0.0.1', '::1'] : host === '0.0.0.0' ? ['127.0.0.1'] : [host];
  const hosts = LOCALHOSTS.includes(host) ? ['localhost', ...every] : every;
  return [...new Set(hosts.map((one) => new URL(localUrl({ host: one, port })).host))];
}

/** Reads PUBLIC_URL and returns it without a trailing slash. @throws InvalidConfig */
export function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  if (!plain)
    throw new InvalidConfig(
      'PUBLIC_URL must be an http or https address such as https://wallet.example.com, without user, query or fragment.',
    );
  return text.replace(/\/+$/, '');
}

/** Reads ADDRESS_DOMAINS: returns the host of the public URL, then the domains of the setting. @throws InvalidConfig */
export function addressDomains(url: string, text = ''): string[] {
  const others = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (others.every((one) => /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/.test(one))) return [...new Set([new URL(url).host, ...others])];
  throw new InvalidConfig('ADDRESS_DOMAINS must be domains such as example.com,example.org, without http:// and paths.');
}

/**
 * Reads TRUST_PROXY: the number of proxies or their addresses. Anyone can send X-Forwarded-For, so only that of these proxies is trusted.
 * @throws InvalidConfig
 */
export function trustProxy(text: string | undefined): number | string[] | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  const list = text.split(',').map((one) => one.trim());
  if (list.every((one) => isRange(one) && !/\/0+$/.test(one))) return list;
  throw new InvalidConfig('TRUST_PROXY must be the number of proxies (1 to 9), or their addresses such as 127.0.0.1,10.0.0.0/8.');
}
