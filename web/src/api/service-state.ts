import { useEffect, useState } from 'preact/hooks';
import { SERVICE_URL } from '../base-path.ts';
import { t } from '../texts/texts.ts';
import { api, type Node, type Readiness, type Withdrawals } from './client.ts';
import { onLiveState } from './live.ts';
import { reloadResources } from './resource.ts';
import { onSavedData } from './saved-data.ts';

/** How the parts of the service work, as last observed. */
export interface ServiceState {
  /** Whether the service answered the last probe. */
  readonly isReachable: boolean;
  /** When the service last answered, in milliseconds since 1970. */
  readonly answeredAt: number;
  /** The page shows data that the browser has kept since then, in milliseconds since 1970. */
  readonly savedAt?: number | undefined;
  readonly database: Readiness['database'];
  readonly node: Readiness['node'];
  readonly withdrawals: Readiness['withdrawals'];
  /** Why the operator has stopped withdrawals; undefined while they are allowed. */
  readonly stopReason?: string | undefined;
  /** The status of each node, by its id. Empty until it is known. */
  readonly nodes: Readonly<Record<string, Node['status']>>;
}

const INTERVAL_MS = 15_000;
const INTERVAL_WHILE_DISTURBED_MS = 5_000;
/** The status of single nodes is read more rarely, because it changes rarely while all of them answer. */
const NODES_INTERVAL_MS = 60_000;
const TIMEOUT_MS = 10_000;

let state: ServiceState = { isReachable: true, answeredAt: Date.now(), database: 'ok', node: 'ok', withdrawals: 'allowed', nodes: {} };
let nodesReadAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let probing: Promise<void> | undefined;
let stopFollowing: (() => void) | undefined;
const listeners = new Set<(state: ServiceState) => void>();

// The oldest data decides.
onSavedData((keptAt) => {
  if (state.savedAt === undefined) void probeService();
  setState({ isReachable: false, savedAt: Math.min(keptAt, state.savedAt ?? keptAt) });
});

/** Returns the state of the service. It is probed every 15 seconds while a component shows it and the tab is visible. */
export function useServiceState(): ServiceState {
  const [current, setCurrent] = useState(state);
  useEffect(() => {
    listeners.add(setCurrent);
    setCurrent(state);
    if (listeners.size === 1) startProbing();
    return () => {
      listeners.delete(setCurrent);
      if (listeners.size === 0) stopProbing();
    };
  }, []);
  return current;
}

/** Whether a wallet can send and receive over Lightning now. The reasons are texts for people. */
export interface NodeState {
  readonly canSend: boolean;
  readonly canReceive: boolean;
  /** Why it cannot; the banner at the top of the page says the same. */
  readonly reason: string | undefined;
}

/** Returns whether the node of a wallet (`ln_node_id`) works. Without a node: whether any node does. */
export function useNodeState(nodeId?: string): NodeState {
  return nodeStateOf(useServiceState(), nodeId);
}

/** Whether the service answers: without it, nothing that moves money is offered. */
export function useIsReachable(): boolean {
  return useServiceState().isReachable;
}

export function nodeStateOf(
  { isReachable, database, node, nodes, withdrawals, stopReason = '' }: ServiceState,
  nodeId?: string,
): NodeState {
  if (!isReachable) return away(unreachableText());
  if (database !== 'ok') return away(database === 'read_only' ? t.banner.readOnly : t.banner.databaseAway);
  const status = nodeId === undefined ? undefined : nodes[nodeId];
  if (node === 'unavailable' || (node === 'partial' && status === 'unavailable')) return away(t.banner.nodeAway);
  if (withdrawals === 'stopped') return { canSend: false, canReceive: true, reason: t.banner.withdrawalsStopped(stopReason) };
  if (withdrawals === 'restored') return { canSend: false, canReceive: true, reason: t.banner.restored };
  if (status === 'cannot_send') return { canSend: false, canReceive: true, reason: t.banner.nodeCannotSend };
  return { canSend: true, canReceive: true, reason: undefined };
}

/** Says whether the device or the service is offline. */
export function unreachableText(): string {
  return navigator.onLine === false ? t.banner.deviceOffline : t.banner.unreachable;
}

function away(reason: string): NodeState {
  return { canSend: false, canReceive: false, reason };
}

/** Notes whether withdrawals are stopped, after this page has changed it. A probe may show the state of a second before. */
export function noteWithdrawals({ status, reason }: Pick<Withdrawals, 'status' | 'reason'>): void {
  setState({ withdrawals: status, stopReason: reason ?? undefined });
  schedule();
}

/** Probes the service now, for example after a request that it rejected with 503. */
export function probeService(): Promise<void> {
  probing ??= probe().finally(() => {
    probing = undefined;
    schedule();
  });
  return probing;
}

async function probe(): Promise<void> {
  try {
    // Not through the client: a 503 has the same body as a 200.
    const response = await fetch(`${SERVICE_URL}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: 'no-store' });
    const { database, node, withdrawals } = (await response.json()) as Readiness;
    if (database === undefined || node === undefined) throw new Error('The response is not that of the service.');
    const stopReason = withdrawals === 'stopped' ? await readStopReason() : undefined;
    const isSaved = state.savedAt !== undefined;
    setState({ isReachable: true, answeredAt: Date.now(), savedAt: undefined, database, node, withdrawals, stopReason });
    if (isSaved) reloadResources();
  } catch {
    return setState({ isReachable: false });
  }
  if (state.database !== 'unavailable' && (state.node !== 'ok' || Date.now() - nodesReadAt >= NODES_INTERVAL_MS)) await probeNodes();
}

async function readStopReason(): Promise<string> {
  const read = await api.service.getWithdrawals().catch(() => undefined);
  return read?.reason ?? state.stopReason ?? '';
}

async function probeNodes(): Promise<void> {
  nodesReadAt = Date.now();
  try {
    const nodes = await api.nodes.list({}, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    setState({ nodes: Object.fromEntries(nodes.map(({ id, status }) => [id, status])) });
  } catch {
    // The last known statuses stay; `readyz` says whether nodes answer at all.
  }
}

function setState(changes: Partial<ServiceState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener(state);
}

function startProbing(): void {
  // A stream of events that breaks is the first sign of a service that has stopped.
  stopFollowing = onLiveState((live) => live !== 'connecting' && (live === 'lost' || !state.isReachable) && probeNow());
  addEventListener('offline', probeNow);
  addEventListener('online', probeNow);
  document.addEventListener('visibilitychange', probeNow);
  void probeService();
}

function stopProbing(): void {
  stopFollowing?.();
  removeEventListener('offline', probeNow);
  removeEventListener('online', probeNow);
  document.removeEventListener('visibilitychange', probeNow);
  clearTimeout(timer);
  timer = undefined;
}

function probeNow(): void {
  if (!document.hidden) void probeService();
}

function schedule(): void {
  clearTimeout(timer);
  timer = undefined;
  if (listeners.size === 0) return;
  const isDisturbed = !state.isReachable || state.database !== 'ok' || state.node !== 'ok';
  timer = setTimeout(() => (document.hidden ? schedule() : void probeService()), isDisturbed ? INTERVAL_WHILE_DISTURBED_MS : INTERVAL_MS);
}
