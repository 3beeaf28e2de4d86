import { timeText } from '../../kernel/clock.ts';
import { type NodeInfo, NodeUnavailable } from '../node.ts';
import type { LndTransport } from './transport.ts';
import type { LndAddress } from './url.ts';

export interface GetInfoResponse {
  readonly identity_pubkey: string;
  readonly alias: string;
  /** `0.21.2-beta commit=…` */
  readonly version: string;
  readonly num_active_channels: number;
  readonly num_inactive_channels: number;
  readonly block_height: number;
  /** Absent in versions that do not report it. */
  readonly store_final_htlc_resolutions?: boolean;
  readonly synced_to_chain: boolean;
  /** The time of the newest block header, in Unix seconds as text. */
  readonly best_header_timestamp?: string;
  readonly chains: readonly { readonly network: string }[];
  /** The features that the node announces, by their bit. */
  readonly features: Readonly<Record<string, unknown>>;
}

const CALL_MS = 4000;
/** The oldest version that keeps records of ours with a payment. */
const OLDEST_VERSION = [0, 18, 4];
const NETWORKS: Readonly<Record<string, NodeInfo['network']>> = {
  mainnet: 'bitcoin',
  testnet: 'testnet',
  signet: 'signet',
  regtest: 'regtest',
};
/** The feature of a node that accepts keysends. */
const KEYSEND_FEATURES = ['54', '55'];

/** LND accepts payments before its channels are active, and fails them for good as INSUFFICIENT_BALANCE. `cannotSend` is the reason to wait. */
export async function readInfo(transport: LndTransport): Promise<{ info: GetInfoResponse; cannotSend: string | undefined }> {
  const [info, { state }] = await Promise.all([
    getInfo(transport).catch((error) => ({ error })),
    transport.get<{ state: string }>('/v1/state', { timeoutMs: CALL_MS }),
  ]);
  if ('error' in info) {
    const known = latest.get(transport);
    if (state !== 'SERVER_ACTIVE' || !known || info.error instanceof NodeUnavailable) throw info.error;
    return { info: { ...known, synced_to_chain: false }, cannotSend: NO_CHAIN };
  }
  if (state !== 'SERVER_ACTIVE') return { info, cannotSend: describeStart(transport, state, info) };
  starts.delete(transport);
  return { info, cannotSend: info.num_active_channels > 0 ? undefined : 'LND has no active channel' };
}

/** What each node reported last. */
const latest = new WeakMap<LndTransport, GetInfoResponse>();

/**
 * GetInfo reads the newest block from the Bitcoin node, so it waits or fails with it. Everything else of LND works: held payments must be ended
 * in time.
 */
const NO_CHAIN = 'LND answers, but not GetInfo: its Bitcoin node probably does not respond';

async function getInfo(transport: LndTransport): Promise<GetInfoResponse> {
  const info = await transport.get<GetInfoResponse>('/v1/getinfo', { timeoutMs: CALL_MS });
  latest.set(transport, info);
  return info;
}

/** Returns the height of LND's newest block, or the last one that it reported while its Bitcoin node does not respond. */
export async function readHeight(transport: LndTransport): Promise<number> {
  const info = await getInfo(transport).catch((error) => {
    const known = latest.get(transport);
    if (!known || error instanceof NodeUnavailable) throw error;
    return known;
  });
  return info.block_height;
}

/** The newest block that each node had read while it was starting, and since when. */
const starts = new WeakMap<LndTransport, { readonly height: number; readonly sinceMs: number }>();
const NO_PROGRESS_MS = 300_000;

/** LND becomes active when it has read the blockchain, so what it reads shows why it does not. */
function describeStart(
  transport: LndTransport,
  state: string,
  { block_height: height, best_header_timestamp: time }: GetInfoResponse,
): string {
  if (state !== 'RPC_ACTIVE') return `LND is starting (${state})`;
  const seconds = secondsOf(time);
  const date = seconds === undefined ? '' : ` of ${timeText(seconds)}`;
  const text = `LND is starting (${state}); it has read block ${height}${date}`;
  const known = starts.get(transport);
  if (known?.height !== height) starts.set(transport, { height, sinceMs: performance.now() });
  else if (performance.now() - known.sinceMs >= NO_PROGRESS_MS)
    return `${text}, and no newer one for five minutes: its Bitcoin node, or the peers of neutrino, probably cannot be reached or are still synchronizing`;
  return text;
}

const STORE_RESOLUTIONS =
  'set store-final-htlc-resolutions=true in lnd.conf; without it, payments that LND resolves while the service is away are not credited';

/**
 * When LND reads a package of HTLCs again after a restart, it renumbers the unanswered ones. The response to a held payment is then recorded for
 * another HTLC, so LND settles the payment again at each connection, which fails. No version has a fix: the source of August 2026 does it, too.
 * Source: `processRemoteAdds` in LND's `htlcswitch/link.go`.
 */
const FIRST_VERSION_THAT_RENUMBERS = [0, 19, 2];
const STOP_HOLDING =
  'remove keysend-hold-time from lnd.conf and keysends=held from LIGHTNING_URL; if LND restarts while it holds a keysend, the channel may fail for good';

/** @throws NodeUnavailable for a version or a network that the adapter does not support. */
export function toNodeInfo(info: GetInfoResponse, { holdsKeysends }: LndAddress, holdInvoices: boolean): NodeInfo {
  const version = info.version.split(' ')[0] ?? '';
  if (isOlder(version, OLDEST_VERSION))
    throw new NodeUnavailable(`LND ${version} is too old: update it to ${OLDEST_VERSION.join('.')} or newer`);
  const name = info.chains[0]?.network ?? '';
  const network = NETWORKS[name];
  if (!network) throw new NodeUnavailable(`LND is on the network ${name}, which this service does not support`);
  const renumbers = !isOlder(version, FIRST_VERSION_THAT_RENUMBERS);
  const advice = [
    ...(info.store_final_htlc_resolutions === false ? [STORE_RESOLUTIONS] : []),
    ...(holdsKeysends && renumbers ? [STOP_HOLDING] : []),
  ];
  return {
    pubkey: info.identity_pubkey,
    alias: info.alias,
    network,
    software: `LND ${version}`,
    capabilities: {
      sendsKeysend: true,
      receivesKeysend: KEYSEND_FEATURES.some((bit) => bit in info.features),
      guards: holdsKeysends ? 'keysends' : 'none',
      descriptionHashWithoutText: true,
      holdInvoices,
    },
    channels: { active: info.num_active_channels, inactive: info.num_inactive_channels },
    chain: { blockHeight: info.block_height, isSynced: info.synced_to_chain, tipAt: secondsOf(info.best_header_timestamp) },
    ...(renumbers &&
      holdInvoices && { holdInvoiceRisk: `LND ${version} may lose a channel for good if it restarts while a payment is held` }),
    ...(advice.length > 0 && { advice }),
  };
}

function secondsOf(text: string | undefined): number | undefined {
  const seconds = Number(text);
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined;
}

/** A version that cannot be parsed is not older. */
function isOlder(version: string, other: readonly number[]): boolean {
  const parts = version.split('-')[0]?.split('.').map(Number) ?? [];
  const at = other.findIndex((number, i) => parts[i] !== number);
  return at !== -1 && (parts[at] ?? 0) < (other[at] ?? 0);
}
