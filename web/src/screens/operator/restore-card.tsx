import { api, type Restore } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { formatCount } from '../../texts/count.ts';
import { t } from '../../texts/texts.ts';

const texts = t.operator.restore;
const REFRESH_MS = 5_000;

/** What a restore has found so far, and how to end it. Nothing outside of a quarantine. */
export function RestoreCard() {
  const { data: restore } = useResource('restore', (signal) => api.operator.getRestore({}, { signal }), { everyMs: REFRESH_MS });
  if (!restore?.quarantined) return null;
  const { receipts, payments, shortfalls, recovered_wallets: recovered, reconciliation, read_back: readBack } = restore;
  const isReady = readBack.status === 'complete' && reconciliation.status === 'agrees';
  return (
    <Card title={texts.title} isPadded>
      <div class="stack">
        <Note tone={isReady ? 'good' : 'warning'}>{isReady ? texts.ready : texts.running}</Note>
        <Details
          entries={[
            [texts.lost, <Lost key="lost" restore={restore} />],
            ...readBack.nodes.map((node) => [node.ln_node_id, nodeText(node)] as const),
            [texts.receipts, texts.booked(receipts.count, formatMsat(receipts.num_msat))],
            [texts.payments, texts.booked(payments.count, formatMsat(payments.num_msat + payments.fee_msat))],
            [texts.pending, payments.pending > 0 && formatCount(payments.pending)],
            [texts.shortfalls, shortfalls.num_msat > 0 && formatMsat(shortfalls.num_msat)],
            [texts.recovered, recovered.count > 0 && `${formatCount(recovered.count)}, ${recovered.account_id}`],
            [texts.reconciliation, reconciliation.detail],
          ]}
        />
        <ul class="small secondary">
          {restore.not_recovered.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p class="small">
          {texts.accept} <code>satchel restore accept --reason "…"</code>
        </p>
      </div>
    </Card>
  );
}

/** The time of which movements between wallets are lost. */
function Lost({ restore: { lost_from: from, lost_until: until } }: { restore: Restore }) {
  if (from === null || from === 0) return <>{texts.everything}</>;
  return (
    <>
      <Time at={from} /> – {until !== null && <Time at={until} />}
    </>
  );
}

function nodeText({ status, step, read_receipts, read_payments, error }: Restore['read_back']['nodes'][number]): string {
  const key = status === 'running' ? step : status;
  const state = `${texts.steps[key] ?? key}: ${read_receipts} + ${read_payments}`;
  return error === null ? state : `${state}. ${error}`;
}
