import { isIP } from 'node:net';
import { type AllowList, hostOf, isHost, type SocksProxy } from './addresses.ts';

/**
 * Why a request failed, as far as its caller may know:
 * - `invalid_url`: the URL breaks a rule. The message names the rule; it follows from the URL and the settings alone.
 * - `busy`: too many requests are running. A POST request was not sent.
 * - `not_json`: the response is complete, but not JSON.
 * - `timed_out`: the time limit has ended. The message is that of `no_valid_response`.
 * - `no_valid_response`: every other failure. Unknown names, private addresses, closed ports and broken responses have this one reason, so
 *   that users cannot explore the operator's network.
 */
export type OutboundReason = 'invalid_url' | 'busy' | 'not_json' | 'timed_out' | 'no_valid_response';

/** A failed request to another service. Its message is for users; the log has the exact cause. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function invalidUrl(rule: string): OutboundError {
  return new OutboundError('invalid_url', rule);
}

/** The service that a URL names, after the checks that need no name resolution. */
export interface Target {
  /** Its path and query can contain secrets. */
  readonly url: URL;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isOnion: boolean;
  /** The operator allowed this host, whatever its addresses are. */
  readonly isAllowed: boolean;
  /** The scheme or the port is accepted only for an allowed host or allowed addresses. */
  readonly needsAllowance: boolean;
}

/** What the operator allows, and the proxy to .onion hosts. */
export interface OutboundRules {
  readonly allow: AllowList;
  readonly proxy: SocksProxy | undefined;
  /** Returns whether URLs may name this machine by `localhost` or a loopback address, with a port from 1024 on. Default: no. */
  readonly mayReachLoopback?: () => boolean;
}

/** LNURL callbacks contain an invoice, a comment and the payer's data. */
const MAX_URL_LENGTH = 8000;
/** Below are the ports of protocols that are not HTTP, such as mail. */
const FIRST_FREE_PORT = 1024;

/** Parses and checks a URL. @throws OutboundError `invalid_url` */
export function readTarget(text: string, { allow, proxy, mayReachLoopback }: OutboundRules): Target {
  if (text.length > MAX_URL_LENGTH) throw invalidUrl(`The URL must have at most ${MAX_URL_LENGTH} characters.`);
  const url = URL.parse(text);
  if (!url) throw invalidUrl('The URL must be complete and valid, such as https://pay.example/path.');
  if (!/^https?:$/.test(url.protocol)) throw invalidUrl('The URL must begin with https://.');
  if (url.username || url.password) throw invalidUrl('The URL must not contain a user name or a password.');
  const host = hostOf(url);
  if (!isHost(host)) throw invalidUrl('The host of the URL must consist of letters, digits, hyphens and dots, without a dot at its end.');
  const isTls = url.protocol === 'https:';
  const isOnion = /(^|\.)onion$/.test(host);
  if (isOnion && !proxy)
    throw invalidUrl('This service cannot reach .onion addresses. Its operator can set OUTBOUND_PROXY to the address of a Tor proxy.');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const isOwnLoopback = isLoopbackHost(host) && port >= FIRST_FREE_PORT && mayReachLoopback?.() === true;
  const isAllowed = allow.hasHost(host, port) || isOwnLoopback;
  const needsAllowance = (!isTls && !isOnion) || (url.port !== '' && port < FIRST_FREE_PORT);
  // A name that is not allowed itself may still have allowed addresses.
  const mayBeAllowed = isAllowed || allow.hasAddress(host) || (isIP(host) === 0 && !isOnion && allow.hasRanges);
  if (needsAllowance && !mayBeAllowed)
    throw invalidUrl(
      isTls || isOnion
        ? 'The port of the URL must be the default port or 1024 to 65535.'
        : `The URL must begin with https://. Only hosts in OUTBOUND_ALLOW may use http://.${remedyForLoopback(url, host)}`,
    );
  return { url, host, port, isTls, isOnion, isAllowed, needsAllowance };
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Returns the setting with which the operator allows a receiver on this machine; for other hosts nothing. */
export function remedyForLoopback({ host: hostAndPort }: URL, host: string): string {
  return isLoopbackHost(host) ? ` For a receiver on this machine, the operator sets OUTBOUND_ALLOW=${hostAndPort}.` : '';
}
