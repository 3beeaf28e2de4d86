import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, type PayoutLine, type PayoutWithLines } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { SERVICE_URL } from '../../base-path.ts';
import { AmountName, Msat } from '../../parts/amount.tsx';
import { Badge, type BadgeProps } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Progress } from '../../parts/progress.tsx';
import { requestedPrice } from '../../parts/requested-price.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { payouts as texts } from '../../texts/en-payouts.ts';
import { t } from '../../texts/texts.ts';

export interface PayoutSheetProps {
  readonly walletId: string;
  readonly id: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const LIVE_MS = 1000;
const SLOW_MS = 30_000;
const PAGE_SIZE = 100;

/** A payout with a page of its lines, whose states follow the service. */
export function PayoutSheet({ walletId, id, onChanged, onClose }: PayoutSheetProps) {
  const [search, change] = useFilters();
  const after = search.get('after') ?? '';
  const [isRunning, setIsRunning] = useState(true);
  const [isCancelling, setIsCancelling] = useState(false);
  const payout = useResource(
    `payout ${id} ${after}`,
    async (signal) => {
      const found = await api.payouts.get(walletId, id, { 'per-page': PAGE_SIZE, ...(after !== '' && { after }) }, { signal });
      setIsRunning(found.status === 'running');
      return found;
    },
    { isAffected: ({ event }) => event.name === 'payout_finished', everyMs: isRunning ? LIVE_MS : SLOW_MS },
  );
  const last = payout.data?.lines.at(-1)?.line;
  const hasNext = last !== undefined && last + 1 < (payout.data?.num_lines ?? 0);
  return (
    <Sheet title={payout.data?.user_label || texts.payout} onClose={onClose}>
      <Loaded resource={payout}>{(data) => <Counts payout={data} />}</Loaded>
      <div class="row">
        <LinkButton icon="download" href={`${SERVICE_URL}/v1/wallet/${walletId}/payouts/${id}/report`} download={`${id}.csv`}>
          {texts.report}
        </LinkButton>
        {(payout.data?.num_pending ?? 0) > 0 && (
          <Button class="push" onClick={() => setIsCancelling(true)}>
            {texts.cancel}
          </Button>
        )}
      </div>
      {payout.data && <LineTable lines={payout.data.lines} />}
      <div class="row">
        {after !== '' && <Button onClick={() => change({ after: undefined })}>{texts.first}</Button>}
        {hasNext && (
          <Button class="push" onClick={() => change({ after: String(last) })}>
            {texts.next}
          </Button>
        )}
      </div>
      {isCancelling && (
        <ConfirmSheet
          title={texts.cancelTitle}
          text={texts.cancelText}
          action={texts.cancel}
          onConfirm={async () => {
            await api.payouts.cancel(walletId, id);
            payout.reload();
            onChanged();
          }}
          onClose={() => setIsCancelling(false)}
        />
      )}
    </Sheet>
  );
}

function Counts({ payout: { num_lines, num_paid, num_sending, num_pending, num_failed } }: { payout: PayoutWithLines }) {
  const label = texts.counts(num_paid, num_sending, num_pending, num_failed);
  return (
    <div role="status">
      <Progress spent={num_paid} inFlight={num_sending} limit={num_lines} label={label} />
      <p class="small secondary">{label}</p>
    </div>
  );
}

const BADGES: Readonly<Record<string, Omit<BadgeProps, 'children'>>> = {
  pending: { tone: 'plain' },
  sending: { tone: 'waiting', icon: 'clock' },
  paid: { tone: 'done', icon: 'done' },
  failed: { tone: 'failed', icon: 'failed' },
};

function LineTable({ lines }: { lines: readonly PayoutLine[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{texts.to}</th>
          <th class="end">
            <AmountName>{texts.amount}</AmountName>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.line}>
            <td>
              <span class="name">
                <Foreign text={line.memo ?? shortened(line.destination)} />
              </span>
              <span class="sub">
                {line.lntx_id === null ? (
                  <LineStatus line={line} />
                ) : (
                  <Link href={`/payments/${line.lntx_id}`}>
                    <LineStatus line={line} />
                  </Link>
                )}
              </span>
              {line.failure_reason !== null && (
                <span class="sub">
                  <Foreign text={line.failure_message ?? line.failure_reason} />
                </span>
              )}
              {line.passThru.comment_not_sent !== undefined && (
                <span class="sub">{`${t.payment.comment}: ${t.payment.commentNotSent}`}</span>
              )}
            </td>
            <td class="end">
              <Msat msat={line.num_msat} />
              {requestedPrice(line)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LineStatus({ line: { status } }: { line: PayoutLine }) {
  return <Badge {...(BADGES[status] ?? { tone: 'plain' })}>{texts.statuses[status] ?? status}</Badge>;
}

const LONGEST = 40;

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, 24)}…${text.slice(-12)}`;
}
