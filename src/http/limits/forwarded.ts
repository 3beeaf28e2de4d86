import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4 } from 'node:net';
import { forwardedAddress, plainAddress } from './addresses.ts';

/** Returns whether X-Forwarded-For of a peer is trusted. `hop` is 0 for the peer of the connection. */
export type TrustsProxy = (address: string, hop: number) => boolean;

/** Returns the function for TRUST_PROXY: the number of proxies, or their addresses and ranges. */
export function trustedProxies(trusted: number | readonly string[]): TrustsProxy {
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted;
  // A list of both families would compare IPv4 addresses with ranges of mapped IPv6 addresses.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of trusted) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    lists[family].addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return (text) => {
    const address = plainAddress(text);
    const family = address !== undefined && isIPv4(address) ? 'ipv4' : 'ipv6';
    return address !== undefined && lists[family].check(address, family);
  };
}

/** Gets an entry of X-Forwarded-For that is no address, and the proxy that sent it. */
export type OnUnreadableAddress = (entry: string, proxy: string) => void;

/**
 * Rewrites X-Forwarded-For of a request to the entries that trusted proxies have added, as plain addresses. An entry that is no address ends the list,
 * so that the request counts for the proxy that sent the entry.
 */
export function normalizeForwarded(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trusts: TrustsProxy,
  onUnreadable: OnUnreadableAddress = () => undefined,
): void {
  const header = headers['x-forwarded-for'];
  if (header === undefined) return;
  const entries = String(header)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const read: string[] = [];
  let peer = plainAddress(socket.remoteAddress ?? '') ?? '';
  for (let hop = 0; hop < entries.length && trusts(peer, hop); hop++) {
    const entry = entries[entries.length - 1 - hop] ?? '';
    const address = forwardedAddress(entry);
    if (address === undefined) {
      onUnreadable(entry, peer);
      break;
    }
    read.unshift(address);
    peer = address;
  }
  headers['x-forwarded-for'] = read.join(', ');
}
