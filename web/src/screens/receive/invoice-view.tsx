import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type LightningTransactionDetails, type Wallet } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Balance, formatSats, HeroAmount, Sats } from '../../parts/amount.tsx';
import { Badge, StatusBadge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { QrShare } from '../../parts/qr-share.tsx';
import { requestedPrice } from '../../parts/requested-price.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sum } from '../../parts/sum.tsx';
import { Time } from '../../parts/time.tsx';
import { money } from '../../texts/en-money.ts';
import { Countdown } from './countdown.tsx';
import { HoldDecision } from './hold-decision.tsx';
import { OfferNotifications } from './offer-notifications.tsx';

export interface InvoiceViewProps {
  readonly id: string;
  /** What the node could receive when the invoice was created, if that was less than the amount. */
  readonly receivableMsat: number | null;
  readonly wallet: Wallet | undefined;
  readonly onNew: () => void;
  readonly onClose: () => void;
}

/** An invoice of the wallet. It changes by itself when the invoice is paid, expires or is cancelled. */
export function InvoiceView({ id, receivableMsat, wallet, onNew, onClose }: InvoiceViewProps) {
  const invoice = useResource(`lntx ${id}`, (signal) => api.lightningTransactions.get(id, {}, { signal }), {
    isAffected: ({ data }) => data.lnTx?.id === id || data.wtx?.lnTx?.id === id,
  });
  return (
    <Loaded resource={invoice} skeleton={<Skeleton height="420px" />}>
      {(found) => (
        <Invoice invoice={found} receivableMsat={receivableMsat} wallet={wallet} onNew={onNew} onClose={onClose} reload={invoice.reload} />
      )}
    </Loaded>
  );
}

type InvoiceProps = Omit<InvoiceViewProps, 'id'> & { readonly invoice: LightningTransactionDetails; readonly reload: () => void };

function Invoice({ invoice, receivableMsat, wallet, onNew, onClose, reload }: InvoiceProps) {
  const isPaid = invoice.status === 'settled';
  useVibration(invoice.status);
  const cancel = useAction(async () => {
    await api.invoices.cancel(invoice.id).finally(reload);
  });
  return (
    <div class="receive">
      <div class="receive-amount">
        {invoice.num_satoshis > 0 ? (
          <HeroAmount sats={invoice.num_satoshis} isIncome={isPaid} price={requestedPrice(invoice)} />
        ) : (
          <strong class="any-amount">{money.receive.anyAmount}</strong>
        )}
        {invoice.memo !== '' && (
          <span class="small secondary">
            <Foreign text={invoice.memo} />
          </span>
        )}
      </div>
      <div class={invoice.status === 'open' || isPaid ? undefined : 'unusable'}>
        <QrCode text={invoice.payment_request.toUpperCase()} label={isPaid ? money.receive.paid : money.receive.qrLabel} isPaid={isPaid} />
      </div>
      {invoice.status === 'open' && receivableMsat !== null && (
        <Note tone="warning">{money.receive.tooMuch(formatSats(Math.floor(receivableMsat / 1000)))}</Note>
      )}
      <Status invoice={invoice} reload={reload} />
      {invoice.status === 'open' && (
        <>
          <code class="invoice-text clip">{invoice.payment_request}</code>
          <div class="pair">
            <CopyButton text={invoice.payment_request} label={money.receive.copyInvoice} hasText kind="plain" size="normal" />
            <a class="button" href={`lightning:${invoice.payment_request}`}>
              <Icon name="open" size={15} />
              {money.receive.openWallet}
            </a>
          </div>
          <QrShare text={invoice.payment_request} name={invoice.id} />
          {cancel.error !== undefined && <Note tone="error">{cancel.error}</Note>}
          <Button kind="quiet" size="small" class="centered" disabled={cancel.isBusy} onClick={() => cancel.run()}>
            {money.receive.cancelInvoice}
          </Button>
        </>
      )}
      {isPaid && wallet && <Sum rows={[{ name: money.receive.newBalance, value: <Balance sats={wallet.balance} unit /> }]} />}
      {isPaid && <OfferNotifications />}
      {invoice.status !== 'open' && (
        <div class="end stack tight">
          <div class="pair">
            <LinkButton href={`/payments/${invoice.id}`}>{money.receive.openPayment}</LinkButton>
            <Button onClick={onNew}>{money.receive.newInvoice}</Button>
          </div>
          <Button kind="primary" size="big" onClick={onClose}>
            {isPaid ? money.attempt.done : money.attempt.close}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Announced when the status changes; the countdown beside it is not. */
function Status({ invoice, reload }: { invoice: LightningTransactionDetails; reload: () => void }) {
  const { status, expires_at, settled_at, created_at } = invoice;
  return (
    <div class="state">
      <div class="row">
        <span role="status">
          {status === 'open' && (
            <Badge tone="waiting" icon="clock">
              {money.receive.waiting}
            </Badge>
          )}
          {status === 'settled' && (
            <Badge tone="good" icon="done">
              {money.receive.paid}
              <span class="visually-hidden">
                , <Sats sats={invoice.num_satoshis} unit />
              </span>
            </Badge>
          )}
          {status !== 'open' && status !== 'settled' && <StatusBadge status={status} />}
        </span>
        <span class="small faint push number">
          {status === 'open' && expires_at !== null && <Countdown until={expires_at} onEnd={reload} />}
          {status === 'settled' && settled_at !== null && (
            <>
              <Time at={settled_at} />
              {afterText(settled_at - created_at)}
            </>
          )}
        </span>
      </div>
      {status === 'expired' && <p class="small secondary">{money.receive.expired}</p>}
      {status === 'cancelled' && <p class="small secondary">{money.receive.cancelled}</p>}
      {status === 'held' && <HoldDecision invoice={invoice} onDecided={reload} />}
      {status === 'arriving' && <p class="small secondary">{money.receive.arriving}</p>}
      {status === 'failed' && <p class="small secondary">{money.receive.notReceived}</p>}
    </div>
  );
}

/** How long the payment took, unless it was long. */
function afterText(seconds: number): string {
  if (seconds < 0 || seconds >= 3600) return '';
  return seconds < 60 ? money.receive.afterSeconds(seconds) : money.receive.afterMinutes(Math.floor(seconds / 60));
}

/** A phone vibrates once when the invoice is paid while it is shown. */
function useVibration(status: string) {
  const before = useRef(status);
  useEffect(() => {
    // Browsers block it, and report that, until the person has tapped on the page.
    if (before.current === 'open' && status === 'settled' && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(80);
    before.current = status;
  }, [status]);
}
