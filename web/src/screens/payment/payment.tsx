import { Link } from 'wouter-preact';
import { api, SatchelError } from '../../api/client.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { HeroAmount, Msat, Sats } from '../../parts/amount.tsx';
import { StatusBadge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { requestedPrice } from '../../parts/requested-price.tsx';
import { Time } from '../../parts/time.tsx';
import { Timeline, type TimelineItem } from '../../parts/timeline.tsx';
import { print } from '../../texts/en-print.ts';
import { t } from '../../texts/texts.ts';
import { HoldDecision } from '../receive/hold-decision.tsx';
import { receiverOf } from '../wallet/rows.ts';
import { HeldBar } from './held-bar.tsx';
import { PaymentDetails } from './payment-details.tsx';
import { addByTime, invoiceSteps, paymentSteps, type StepName } from './payment-steps.ts';
import { ReceiptButton } from './receipt.tsx';
import { useDeliveries } from './use-deliveries.tsx';
import { type PaymentData, usePayment } from './use-payment.ts';
import './payment.css';

/** `/payments/:lntx`, and over it `/payments/:lntx/cancel`. */
export function PaymentScreen({ lntx, '*': sheet = '' }: { lntx: string; '*'?: string }) {
  const payment = usePayment(lntx);
  const close = useCloseSheet(`/payments/${lntx}`);
  if (payment.error instanceof SatchelError && payment.error.status === 404)
    return (
      <>
        <PageHead title={t.payment.missingTitle} />
        <Empty icon="search" title={t.payment.missingTitle} action={<LinkButton href="/wallets">{t.wallet.allWallets}</LinkButton>}>
          {t.payment.missing}
        </Empty>
      </>
    );
  return (
    <>
      <Loaded resource={payment}>{(data) => <Content data={data} reload={payment.reload} />}</Loaded>
      {sheet === 'cancel' && payment.data?.lntx.status === 'open' && (
        <ConfirmSheet
          title={t.payment.cancelTitle}
          text={t.payment.cancelText}
          action={t.payment.cancel}
          onConfirm={() => api.invoices.cancel(lntx)}
          onClose={close}
        />
      )}
    </>
  );
}

function isOutgoing({ transaction }: PaymentData): boolean {
  return transaction !== undefined && transaction.num_msat < 0;
}

function Content({ data, reload }: { data: PaymentData; reload: () => void }) {
  const { lntx, transaction } = data;
  const isSent = isOutgoing(data);
  const isOpen = !isSent && lntx.status === 'open';
  const deliveries = useDeliveries(lntx.id);
  const steps = (isSent ? paymentSteps(lntx) : invoiceSteps(lntx, lntx.is_keysend === 1)).map(
    (step): TimelineItem => ({ ...step, text: t.payment.stepNames[step.name], detail: <StepText name={step.name} data={data} /> }),
  );
  return (
    <>
      <Head data={data} isSent={isSent} isOpen={isOpen} />
      {isSent && lntx.status === 'pending' && (
        <Note tone="warning">
          <p>{t.payment.pendingMeans}</p>
        </Note>
      )}
      {isOpen && lntx.inside_only === 1 && (
        <Note tone="warning">
          <p>{print.insideOnly}</p>
        </Note>
      )}
      {isSent && <HeldBar payment={lntx} />}
      <div class="payment-columns">
        <div class="stack">
          {isOpen && (
            <Card isPadded class="payment-invoice">
              <QrCode text={lntx.payment_request} label={t.payment.qr} />
              <CopyButton text={lntx.payment_request} label={t.payment.copyInvoice} hasText size="normal" />
            </Card>
          )}
          {!isSent && lntx.status === 'held' && (
            <Card isPadded>
              <HoldDecision invoice={lntx} onDecided={reload} />
            </Card>
          )}
          <Card title={t.payment.timeline} isPadded>
            <Timeline items={addByTime(steps, deliveries)} />
          </Card>
        </div>
        <Card title={t.payment.details} isPadded>
          <PaymentDetails lntx={lntx} transaction={transaction} isSent={isSent} />
        </Card>
      </div>
    </>
  );
}

function Head({ data, isSent, isOpen }: { data: PaymentData; isSent: boolean; isOpen: boolean }) {
  const { lntx, transaction } = data;
  const wallet = transaction?.wal;
  const kind = isSent || lntx.is_keysend === 1 ? t.payment.payment : t.payment.invoice;
  const isPaid = lntx.status === 'settled';
  const isFailed = isSent && lntx.status === 'failed';
  return (
    <PageHead
      title={titleOf(data) || kind}
      breadcrumb={kind}
      parent={
        wallet
          ? { href: `/wallets/${wallet.id}`, label: wallet.user_label || t.wallets.unnamed }
          : { href: '/wallets', label: t.wallets.title }
      }
      aside={isOpen ? <span class="badge plain">{t.wallet.open}</span> : <StatusBadge status={lntx.status} />}
      actions={
        <>
          {isPaid && <ReceiptButton data={data} isSent={isSent} />}
          {isOpen && <LinkButton href={`/payments/${lntx.id}/cancel`}>{t.payment.cancel}</LinkButton>}
          <CopyButton text={location.href} label={t.payment.copyLink} hasText kind="quiet" size="normal" />
        </>
      }
    >
      <HeroAmount
        sats={isSent && !isFailed ? -lntx.num_satoshis : lntx.num_satoshis}
        isIncome={isPaid && !isSent}
        price={requestedPrice(lntx)}
        caption={
          <>
            {isFailed && `${t.wallet.unbooked.failed} · `}
            <Time at={lntx.settled_at ?? lntx.created_at} />
            {lntx.fee_msat !== null && isSent && (
              <>
                {' · '}
                {t.wallet.fee} <Msat msat={lntx.fee_msat} unit />
              </>
            )}
          </>
        }
      />
    </PageHead>
  );
}

/** The longest title. The details have the whole memo. */
const TITLE_LENGTH = 80;

/** Returns the beginning of the label or the memo; without either, the receiver. */
function titleOf({ lntx, transaction }: PaymentData): string {
  const text = (transaction?.user_label || lntx.memo || (transaction && receiverOf(transaction).name) || '').trim();
  return text.length > TITLE_LENGTH ? `${text.slice(0, TITLE_LENGTH).toWellFormed()}…` : text;
}

/** One sentence about what happened to the money. */
function StepText({ name, data: { lntx } }: { name: StepName; data: PaymentData }) {
  const amount = <Sats key="amount" sats={lntx.num_satoshis} unit />;
  if (name === 'held' && lntx.held_msat !== null && lntx.fee_limit_msat)
    return (
      <>
        <Msat msat={lntx.held_msat} unit /> {t.payment.steps.heldWithFee} <Msat msat={lntx.fee_limit_msat} unit />.
        {lntx.service_fee_msat > 0 && (
          <>
            {' '}
            {print.serviceFee}: <Msat msat={lntx.service_fee_msat} unit />.
          </>
        )}
      </>
    );
  if (name === 'settled' && lntx.fee_msat !== null)
    return (
      <>
        {amount} {t.payment.andFee} <Msat msat={lntx.fee_msat} unit /> {t.payment.steps.settled}
      </>
    );
  if (name === 'failed')
    return (
      <>
        {t.payment.failureReasons[lntx.failure_reason ?? ''] ?? t.payment.failureReasons.ERROR}. {t.payment.steps.failed}
        {lntx.failure_reason && (
          <code class="mono tiny faint failure-code">
            <bdi>{`FAILURE_REASON_${lntx.failure_reason}`}</bdi>
          </code>
        )}
      </>
    );
  if (name === 'waiting' && lntx.expires_at !== null)
    return (
      <>
        {t.payment.steps.waiting} <Time at={lntx.expires_at} />
      </>
    );
  if (name === 'inside' && lntx.counterpart_id !== null)
    return (
      <>
        {t.payment.steps.inside} <Link href={`/payments/${lntx.counterpart_id}`}>{t.payment.counterpart}</Link>
      </>
    );
  if (name === 'held' || name === 'onHold' || name === 'received' || name === 'settled')
    return (
      <>
        {amount} {t.payment.steps[name]}
      </>
    );
  return <>{t.payment.steps[name]}</>;
}
