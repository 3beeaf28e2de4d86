import { useState } from 'preact/hooks';
import { api, type SuspendedMoney } from '../../api/client.ts';
import { readListPage } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { TextAreaField, TextField } from '../../parts/field.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { usePages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { ReasonSheet } from './reason-sheet.tsx';
import { TurnPages } from './turn-pages.tsx';

const texts = t.operator.suspense;
const REFRESH_MS = 10_000;
const PAGE = 20;

/** Money that arrived for no wallet. It is credited to a wallet or returned. */
export function Suspense({ onChanged }: { onChanged?: () => void }) {
  const [action, setAction] = useState<{ kind: 'credit' | 'return'; money: SuspendedMoney }>();
  const pages = usePages();
  const query = { status: 'open' as const, count: 1, 'per-page': PAGE, ...(pages.after !== undefined && { after: pages.after }) };
  const suspense = useResource(
    `suspense ${pages.after ?? ''}`,
    (signal) => readListPage((options) => api.operator.listSuspense(query, options), signal),
    {
      everyMs: REFRESH_MS,
    },
  );
  const reload = () => {
    suspense.reload();
    onChanged?.();
  };
  return (
    <Card title={texts.title} footer={<span class="small secondary">{texts.footer}</span>}>
      <Loaded resource={suspense}>
        {({ items: list }) =>
          list.length === 0 ? (
            <Empty icon="done" title={texts.emptyTitle}>
              {texts.empty}
            </Empty>
          ) : (
            list.map((money) => (
              <div class="padded stack tight" key={money.id}>
                <div class="row">
                  <span class="strong">{money.is_keysend ? texts.keysend : texts.paidTwice}</span>
                  <span class="push number strong">{formatMsat(money.left_msat)}</span>
                </div>
                <p class="tiny faint">
                  <Time at={money.created_at} /> {money.ln_node_id}
                </p>
                <p class="mono tiny">{money.id}</p>
                {money.actions.map((one) => (
                  <p class="small" key={one.id}>
                    {t.operator.actionStatuses[one.status] ?? one.status}: <Foreign text={one.answer || one.reason} />
                  </p>
                ))}
                <div class="row wrap">
                  <Button size="small" disabled={hasPending(money)} onClick={() => setAction({ kind: 'credit', money })}>
                    {texts.credit}
                  </Button>
                  <Button size="small" disabled={hasPending(money)} onClick={() => setAction({ kind: 'return', money })}>
                    {texts.return}
                  </Button>
                </div>
              </div>
            ))
          )
        }
      </Loaded>
      <TurnPages pages={pages} page={suspense.data} perPage={PAGE} />
      {action && <SuspenseSheet {...action} onChanged={reload} onClose={() => setAction(undefined)} />}
    </Card>
  );
}

/** One action at a time, so that the money is not paid out in parts by mistake. */
function hasPending({ actions }: SuspendedMoney): boolean {
  return actions.some(({ status }) => status === 'pending');
}

interface SuspenseSheetProps {
  readonly kind: 'credit' | 'return';
  readonly money: SuspendedMoney;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function SuspenseSheet({ kind, money, onChanged, onClose }: SuspenseSheetProps) {
  const [target, setTarget] = useState('');

  function run(reason: string, options: { idempotencyKey: string }) {
    if (kind === 'credit') return api.operator.creditSuspense(money.id, { wallet_id: target.trim(), reason }, options);
    return api.operator.returnSuspense(money.id, { payment_request: target.trim(), reason }, options);
  }

  const sats = formatMsat(money.left_msat);
  return (
    <ReasonSheet
      title={kind === 'credit' ? texts.creditTitle : texts.returnTitle}
      text={kind === 'credit' ? texts.creditText(sats) : texts.returnText(sats)}
      action={kind === 'credit' ? texts.creditAction(sats) : texts.returnAction}
      isIncomplete={target.trim() === ''}
      run={run}
      onDone={onChanged}
      onClose={onClose}
    >
      {kind === 'credit' ? (
        <TextField label={texts.walletId} placeholder="wal_…" value={target} onValue={setTarget} />
      ) : (
        <TextAreaField label={texts.invoice} class="mono" value={target} onValue={setTarget} />
      )}
    </ReasonSheet>
  );
}
