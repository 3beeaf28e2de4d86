import { lookup, Resolver } from 'node:dns/promises';
import { addAbortListener, once } from 'node:events';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectSecure } from 'node:tls';
import { SocksClient } from 'socks';
import { isPublicAddress } from './addresses.ts';
import type { OutboundRules, Target } from './target.ts';

/** The access to the network. Tests replace its functions. */
export interface NetworkAccess {
  /** Returns all addresses of a host. */
  resolve(target: Target, signal: AbortSignal): Promise<readonly string[]>;
  /** Connects to the first of these addresses that accepts. */
  connect(addresses: readonly string[], port: number): Socket;
  /** Returns the addresses of this machine. */
  ownAddresses(): readonly string[];
}

export const systemNetwork: NetworkAccess = { resolve: resolveHost, connect: connectTo, ownAddresses };

interface ConnectOptions extends OutboundRules {
  readonly network: NetworkAccess;
}

const MAX_TRIED_ADDRESSES = 6;
/** Node's 250 ms are too short for a handshake with a distant server. */
const ATTEMPT_MS = 2000;
const DNS_QUERY_MS = 3000;

/**
 * Opens a connection to a target, encrypted if its scheme is https. The name is resolved once, and the socket connects to the addresses that
 * were checked, so the name's owner cannot change them in between. @throws Error with the cause, for the log
 */
export async function openConnection(target: Target, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  const { host, isTls, isOnion } = target;
  const socket = await (isOnion ? connectByProxy(target, options, signal) : connectDirectly(target, options, signal));
  if (!isTls) return socket;
  // Checks the certificate against the name, also if NODE_TLS_REJECT_UNAUTHORIZED is 0.
  const servername = isIP(host) === 0 ? host : '';
  const secured = connectSecure({ socket, host, servername, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] });
  return untilConnected(secured, signal, 'secureConnect');
}

async function connectDirectly(target: Target, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  const addresses = await permittedAddresses(target, options, signal);
  signal.throwIfAborted();
  return untilConnected(options.network.connect(addresses.slice(0, MAX_TRIED_ADDRESSES), target.port), signal);
}

/** @returns at least one address. All addresses of the target are permitted. */
async function permittedAddresses(target: Target, { allow, network }: ConnectOptions, signal: AbortSignal): Promise<readonly string[]> {
  const { host, port, isAllowed, needsAllowance } = target;
  if (!isAllowed && /(^|\.)localhost$/.test(host)) throw new Error('localhost is refused');
  const addresses = isIP(host) === 0 ? await unlessAborted(network.resolve(target, signal), signal) : [host];
  if (addresses.length === 0) throw new Error('the name has no addresses');
  if (isAllowed || addresses.every(allow.hasAddress)) return addresses;
  if (needsAllowance) throw new Error('plain HTTP and ports below 1024 are refused');
  // A port that a firewall closes to others is open from this machine. On port 443 the service itself may be public.
  const own = new Set(port === 443 ? [] : network.ownAddresses());
  const refused = addresses.find((address) => !allow.hasAddress(address) && (!isPublicAddress(address) || own.has(address)));
  if (refused !== undefined) throw new Error(`the address ${refused} is refused`);
  return addresses;
}

async function connectByProxy({ host, port }: Target, { proxy, network }: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  if (!proxy) throw new Error('OUTBOUND_PROXY is not set');
  const socket = await untilConnected(network.connect([proxy.host], proxy.port), signal);
  using _listener = addAbortListener(signal, () => socket.destroy());
  try {
    const destination = { host, port };
    await SocksClient.createConnection({ proxy: { ...proxy, type: 5 }, command: 'connect', destination, existing_socket: socket });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Waits for a socket's event. Destroys the socket when it fails or the signal aborts. */
async function untilConnected(socket: Socket, signal: AbortSignal, event = 'connect'): Promise<Socket> {
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    // A socket without a listener for errors would end the process.
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  }
}

function connectTo(addresses: readonly string[], port: number): Socket {
  const [host = '', ...others] = addresses;
  if (others.length === 0) return connectSocket({ host, port });
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return connectSocket({
    host: 'resolved.invalid',
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    lookup: (_host, _options, done) => done(null, all),
  });
}

/**
 * Resolves a name. Names in users' URLs are resolved without the system's resolver, because each of its calls occupies one of Node's four
 * worker threads until slow name servers answer. Hosts that the operator allowed may be in /etc/hosts.
 */
async function resolveHost({ host, isAllowed }: Target, signal: AbortSignal): Promise<readonly string[]> {
  if (isAllowed) return (await lookup(host, { all: true })).map(({ address }) => address);
  const resolver = new Resolver({ timeout: DNS_QUERY_MS, tries: 2 });
  using _listener = addAbortListener(signal, () => resolver.cancel());
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (addresses.length === 0) throw failed?.reason ?? new Error('the name has no addresses');
  return addresses;
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}

async function unlessAborted<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([task, promise]);
}
