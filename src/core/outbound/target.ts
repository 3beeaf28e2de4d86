import { isIP } from 'node:net';
import { type AllowList, hostOf, isHost, type SocksProxy } from './addresses.ts';
import { invalidUrl } from './outbound-error.ts';

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

interface TargetRules {
  readonly allow: AllowList;
  readonly proxy: SocksProxy | undefined;
}

/** LNURL callbacks contain an invoice, a comment and the payer's data. */
const MAX_URL_LENGTH = 8000;
/** Below are the ports of protocols that are not HTTP, such as mail. */
const FIRST_FREE_PORT = 1024;

/** Parses and checks a URL. @throws OutboundError `invalid_url` */
export function readTarget(text: string, rules: TargetRules): Target {
  if (text.length > MAX_URL_LENGTH) throw invalidUrl(`The URL must have at most ${MAX_URL_LENGTH} characters.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw invalidUrl('The URL must be complete and valid, such as https://pay.example/path.');
  if (!/^https?:$/.test(url.protocol)) throw invalidUrl('The URL must begin with https://.');
  if (url.username || url.password) throw invalidUrl('The URL must not contain a user name or a password.');
  const target = targetOf(url, rules.allow);
  checkHost(target, rules);
  if (target.needsAllowance && !mayBeAllowed(target, rules.allow))
    throw invalidUrl(
      target.isTls || target.isOnion
        ? 'The port of the URL must be the default port or 1024 to 65535.'
        : 'The URL must begin with https://. Only hosts in OUTBOUND_ALLOW may use http://.',
    );
  return target;
}

function targetOf(url: URL, allow: AllowList): Target {
  const host = hostOf(url);
  const isTls = url.protocol === 'https:';
  const isOnion = /(^|\.)onion$/.test(host);
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const needsAllowance = (!isTls && !isOnion) || (url.port !== '' && port < FIRST_FREE_PORT);
  return { url, host, port, isTls, isOnion, isAllowed: allow.hasHost(host, port), needsAllowance };
}

function checkHost({ host, isOnion }: Target, { proxy }: TargetRules): void {
  if (!isHost(host)) throw invalidUrl('The host of the URL must consist of letters, digits, hyphens and dots, without a dot at its end.');
  if (isOnion && !proxy)
    throw invalidUrl('This service cannot reach .onion addresses. Its operator can set OUTBOUND_PROXY to the address of a Tor proxy.');
}

/** A name that is not allowed itself may still have allowed addresses. */
function mayBeAllowed({ host, isAllowed, isOnion }: Target, allow: AllowList): boolean {
  return isAllowed || allow.hasAddress(host) || (isIP(host) === 0 && !isOnion && allow.hasRanges);
}
