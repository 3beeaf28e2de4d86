import type { Alerts } from '../../../core/alerts/alerts.ts';
import type { NodeConnection } from '../../../core/connection/connection.ts';
import type { Database } from '../../../core/db/database.ts';
import { readFact, writeFact } from '../../../core/db/facts.sql.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { readNodeRates } from '../flows.ts';
import { HEALTH_ALERTS, HEALTH_LIMITS, type HealthLimits, type HealthState, judge, ownReason } from './judge.ts';

export interface HealthModules {
  readonly database: Database;
  readonly alerts: Alerts;
  readonly clock: Clock;
}

/**
 * Raises and closes the alerts about the health of a node, from the figures that this instance has read. Only the holder of the lease of the node's
 * events may call it. While the node does not answer, nothing changes: `node_silent` reports that.
 */
export async function watchHealth(modules: HealthModules, connection: NodeConnection, limits: HealthLimits = HEALTH_LIMITS): Promise<void> {
  const { database, alerts, clock } = modules;
  const info = connection.info();
  if (!info || !(await connection.answers())) return;
  const { nodeId } = connection;
  const chain = connection.chain();
  const [rate] = (await readNodeRates(modules, [connection.ledgerAccount])) ?? [];
  const seen = {
    nodeId,
    cannotSend: ownReason(info, chain),
    blockHeight: info.chain?.blockHeight,
    chain,
    unsyncedSeconds: connection.unsyncedSeconds(),
    channels: connection.channels(),
    rate: rate?.coversPeriod ? rate : undefined,
  };
  const fact = `node_health ${nodeId}`;
  const stored = (await database.first(readFact, fact))?.value;
  const open = await openAlerts(alerts, nodeId);
  const before: HealthState = stored === undefined ? {} : JSON.parse(stored);
  // Another instance has raised it.
  const isBehind = before.behindHeight === undefined && open.some(({ kind }) => kind === 'node_behind');
  const judgement = judge(seen, isBehind ? { ...before, behindHeight: seen.blockHeight } : before, limits, unixSeconds(clock));
  const next = JSON.stringify(judgement.state);
  if (next !== (stored ?? '{}')) await database.transaction((tx) => tx.run(writeFact, fact, next));
  for (const alert of judgement.alerts)
    if (!open.some(({ kind, subject }) => kind === alert.kind && subject === alert.subject)) await alerts.raise(alert);
  for (const { kind, subject } of open) {
    const isRaised = judgement.alerts.some((alert) => alert.kind === kind && alert.subject === subject);
    if (!isRaised && !judgement.unknown.includes(kind)) await alerts.clear(kind, subject);
  }
}

/** Returns the open alerts about the health of a node. */
async function openAlerts(alerts: Alerts, nodeId: string) {
  const open = await alerts.listOpen();
  return HEALTH_ALERTS.flatMap((kind) =>
    open.flatMap(({ kind: of, subject }) =>
      of === kind && (subject === nodeId || subject.startsWith(`${nodeId} `)) ? [{ kind, subject }] : [],
    ),
  );
}
