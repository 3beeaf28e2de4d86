import type { ComponentChildren } from 'preact';
import { useAction } from '../../api/action.ts';
import { api, type NodeComparison, type Reconciliation } from '../../api/client.ts';
import { readListPage } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { usePages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { OperatorTabs } from './operator-tabs.tsx';
import { TurnPages } from './turn-pages.tsx';

const texts = t.operator.reconciliation;
/** A running reconciliation changes without events. */
const REFRESH_MS = 3_000;
const PAGE = 20;

/** `/operator/reconciliation`: the ledger compared with the nodes. */
export function ReconciliationScreen() {
  const idempotent = useIdempotent({ isRepeatable: true });
  const pages = usePages();
  const query = { count: 1, 'per-page': PAGE, ...(pages.after !== undefined && { after: pages.after }) };
  const runs = useResource(
    `reconciliations ${pages.after ?? ''}`,
    (signal) => readListPage((options) => api.operator.listReconciliations(query, options), signal),
    { everyMs: REFRESH_MS },
  );
  const { run, isBusy, error } = useAction(async () => {
    await idempotent((options) => api.operator.requestReconciliation({}, options));
    runs.reload();
  });
  const isRunning = runs.data?.items.some(({ status }) => status === 'queued' || status === 'running') ?? false;
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          <Button kind="primary" icon="refresh" disabled={isBusy || isRunning} onClick={() => run()}>
            {texts.run}
          </Button>
        }
      />
      <OperatorTabs />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Loaded resource={runs}>
        {({ items: [last, ...older] }) =>
          last === undefined ? (
            <Card>
              <Empty icon="server" title={texts.emptyTitle}>
                {texts.empty}
              </Empty>
            </Card>
          ) : (
            <>
              {pages.isFirst && <Last run={last} />}
              {(older.length > 0 || !pages.isFirst) && (
                <Older runs={pages.isFirst ? older : [last, ...older]}>
                  <TurnPages pages={pages} page={runs.data} perPage={PAGE} />
                </Older>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** The newest reconciliation, with what it has found at each node. */
function Last({ run }: { run: Reconciliation }) {
  return (
    <Card title={texts.last} actions={<Outcome run={run} />} isPadded>
      <div class="stack">
        <p class="secondary">
          <Time at={run.created_at} /> · {texts.scopes[run.scope] ?? run.scope}
          {run.progress && (
            <>
              {' · '}
              <bdi>{run.progress}</bdi>
            </>
          )}
        </p>
        {run.nodes.map((node) => (
          <Comparison key={node.ln_node_id} node={node} />
        ))}
      </div>
    </Card>
  );
}

function Outcome({ run: { status, is_clean: isClean } }: { run: Reconciliation }) {
  if (status === 'failed')
    return (
      <Badge tone="failed" icon="failed">
        {t.statuses.failed}
      </Badge>
    );
  if (status !== 'done')
    return (
      <Badge tone="waiting" icon="clock">
        {texts.statuses[status] ?? status}
      </Badge>
    );
  return isClean ? (
    <Badge tone="done" icon="done">
      {texts.clean}
    </Badge>
  ) : (
    <Badge tone="failed" icon="alert">
      {texts.notClean}
    </Badge>
  );
}

/** What a node has and what it should have. */
function Comparison({ node }: { node: NodeComparison }) {
  const sats = (msat: number | null) => (msat === null ? undefined : `${formatMsat(msat)} ${t.common.sats}`);
  return (
    <div class="stack tight">
      <h3 class="mono">{node.ln_node_id}</h3>
      {node.incomplete_reason !== null && <Note tone="warning">{node.incomplete_reason}</Note>}
      <Details
        entries={[
          [texts.assets, sats(node.assets_msat)],
          [texts.expected, sats(node.expected_msat)],
          [texts.difference, sats(node.difference_msat)],
          [texts.customers, sats(node.customers_msat)],
          [texts.suspense, sats(node.suspense_msat)],
          [texts.fees, sats(node.service_fees_msat)],
          [texts.costs, sats(node.operator_costs_msat)],
          [texts.inFlight, sats(node.in_flight_msat)],
          [texts.pending, texts.pendingCount(node.pending_payments, node.stuck_payments)],
        ]}
      />
    </div>
  );
}

function Older({ runs, children }: { runs: readonly Reconciliation[]; children: ComponentChildren }) {
  return (
    <Card title={texts.older}>
      <table class="table">
        <thead>
          <tr>
            <th>{texts.time}</th>
            <th class="desktop-only">{texts.reason}</th>
            <th>{texts.result}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <Time at={run.created_at} />
                <span class="sub">{texts.scopes[run.scope] ?? run.scope}</span>
              </td>
              <td class="desktop-only secondary">
                <bdi>{run.reason}</bdi>
              </td>
              <td>
                <Outcome run={run} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </Card>
  );
}
