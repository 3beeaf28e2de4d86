import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, type Wallet } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Balance, formatSats, HeroAmount, Msat } from '../parts/amount.tsx';
import { isLateClick } from '../parts/amount-keys.tsx';
import { Button, LinkButton } from '../parts/button.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/note.tsx';
import { requestedPrice } from '../parts/requested-price.tsx';
import { shortKey } from '../parts/short-key.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Sum } from '../parts/sum.tsx';
import { money } from '../texts/en-money.ts';
import { t, textOfError } from '../texts/texts.ts';
import { type Attempt, canSend, type Failed, heldMsat, type Refusal, type Settled } from './attempt.ts';
import { ExpectedFee } from './expected-fee.tsx';
import { PaymentLink } from './payment-link.tsx';
import { SaveContact } from './save-contact.tsx';
import { SuccessAction } from './success-action.tsx';
import './attempt.css';

export interface AttemptViewProps {
  readonly attempt: Attempt;
  readonly wallet: Wallet | undefined;
  /** Why nothing can be sent now. */
  readonly blocked?: string | undefined;
  readonly onSend: () => void;
  /** Shows the form with what was entered. */
  readonly onBack: () => void;
  /** Shows the form with a higher fee limit. */
  readonly onRaise?: () => void;
  /** Shows an empty form. */
  readonly onNew: () => void;
  readonly onClose: () => void;
}

/** An attempt, from its review to its end. What happened to the money is said first. */
export function AttemptView(props: AttemptViewProps) {
  const isReview = props.attempt.progress.step === 'review';
  const element = useRef<HTMLDivElement>(null);
  // The button that was clicked is gone.
  useEffect(() => element.current?.focus(), [isReview]);
  return (
    <div class="attempt" ref={element} tabIndex={-1}>
      {isReview ? <Review {...props} /> : <Outcome {...props} />}
    </div>
  );
}

function Review({ attempt, wallet, blocked, onSend, onBack }: AttemptViewProps) {
  const { summary, progress, order } = attempt;
  const refusal = progress.step === 'review' ? progress.refusal : undefined;
  const held = heldMsat(summary);
  const serviceFeeMsat = summary.serviceFeeMsat ?? 0;
  const isTransfer = order.operation === 'transfer';
  const isFresh = canSend(attempt, Date.now());
  return (
    <>
      <div class="attempt-head">
        <HeroAmount sats={-summary.sats} price={requestedPrice(summary.price)} />
        <Receiver attempt={attempt} />
        {wallet?.user_label && (
          <p class="small secondary">
            {money.attempt.from} <bdi>{wallet.user_label}</bdi>
          </p>
        )}
      </div>
      {(!isTransfer || serviceFeeMsat > 0) && (
        <Sum
          rows={[
            { name: money.attempt.amount, value: <Msat msat={summary.sats * 1000} /> },
            ...(serviceFeeMsat > 0 ? [{ name: money.attempt.serviceFee, value: <Msat msat={serviceFeeMsat} /> }] : []),
            ...(summary.payee === undefined
              ? []
              : [
                  {
                    name: money.attempt.expectedFee,
                    value: <ExpectedFee payee={summary.payee} sats={summary.sats} nodeId={wallet?.ln_node_id} />,
                  },
                ]),
            ...(isTransfer ? [] : [{ name: money.attempt.feeLimit, value: <Msat msat={summary.feeLimitMsat} /> }]),
            { name: isTransfer ? money.attempt.total : money.attempt.heldUntilEnd, value: <Msat msat={held} unit />, isTotal: true },
          ]}
        />
      )}
      {wallet && wallet.balance_msat >= held && (
        <p class="tiny secondary">
          {!isTransfer && money.attempt.comesBack} {money.attempt.leaves(formatSats(Math.floor((wallet.balance_msat - held) / 1000)))}
        </p>
      )}
      {summary.price && <p class="tiny secondary">{money.attempt.converted}</p>}
      {refusal && <Refused refusal={refusal} text={money.attempt.notSentYet} />}
      {!isFresh && <Note tone="warning">{money.attempt.tooOld}</Note>}
      {blocked !== undefined && <Note tone="warning">{blocked}</Note>}
      <div class="end stack tight">
        <Button
          kind="primary"
          size="big"
          disabled={!isFresh || blocked !== undefined}
          onClick={(event) => {
            if (!isLateClick(event)) onSend();
          }}
        >
          {summary.price
            ? money.attempt.sendPrice(`${summary.price.amount} ${summary.price.currency}`)
            : money.attempt.send(formatSats(summary.sats))}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          {money.attempt.back}
        </Button>
      </div>
    </>
  );
}

/** Names the receiver, and the memo of the invoice, the comment or the memo of the transfer. */
function Receiver({ attempt: { summary, order } }: { attempt: Attempt }) {
  const { to, isPurpose = false, payee } = summary;
  const memo = order.fields.comment ?? order.fields.memo;
  return (
    <>
      <p class="secondary">
        {isPurpose ? money.attempt.purpose : money.attempt.to} <Foreign text={to} />
      </p>
      {isPurpose && payee !== undefined && (
        <p class="small secondary">
          {money.attempt.to} <bdi class="mono">{shortKey(payee)}</bdi>
        </p>
      )}
      {typeof memo === 'string' && (
        <p class="small secondary">
          {order.operation === 'transfer' ? t.payment.memo : t.payment.comment}: <Foreign text={memo} />
        </p>
      )}
    </>
  );
}

function Outcome(props: AttemptViewProps) {
  const { attempt } = props;
  const { step } = attempt.progress;
  const tone = step === 'settled' ? 'good' : step === 'failed' || step === 'refused' || step === 'absent' ? 'bad' : 'waiting';
  return (
    <>
      <div class="attempt-head" role="status">
        <span class={`attempt-icon ${tone}`}>
          <Icon name={tone === 'good' ? 'done' : tone === 'bad' ? 'failed' : 'clock'} size={28} />
        </span>
        <span class={tone === 'bad' ? 'faint' : undefined}>
          <HeroAmount sats={tone === 'bad' ? attempt.summary.sats : -attempt.summary.sats} price={requestedPrice(attempt.summary.price)} />
        </span>
        <Receiver attempt={attempt} />
        <Words attempt={attempt} />
      </div>
      <Rest {...props} />
    </>
  );
}

/** What happened to the money, then why. */
function Words({ attempt: { progress, isInDoubt, order } }: { attempt: Attempt }) {
  switch (progress.step) {
    case 'settled':
      return (
        <Text title={money.attempt.settled}>
          {order.operation === 'transfer' ? money.attempt.transferred : money.attempt.receiverHasIt}
        </Text>
      );
    case 'failed': {
      const { title, text } = money.attempt.failures[progress.failed.reason] ?? money.attempt.failure;
      return <Text title={title}>{`${money.attempt.nothingPaid} ${text}`}</Text>;
    }
    case 'refused':
      return <Text title={money.attempt.refused}>{money.attempt.refusedText}</Text>;
    case 'absent':
      return <Text title={money.attempt.absent}>{money.attempt.absentText}</Text>;
    case 'pending':
      return <Text title={money.attempt.pending}>{money.attempt.pendingText}</Text>;
    default:
      return isInDoubt ? (
        <Text title={money.attempt.unknown}>{money.attempt.unknownText}</Text>
      ) : (
        <Text title={money.attempt.sending}>{money.attempt.sendingText}</Text>
      );
  }
}

function Text({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <b>{title}</b>
      <p class="secondary">{children}</p>
    </>
  );
}

function Rest(props: AttemptViewProps) {
  const { attempt, wallet, onClose, onBack, onNew } = props;
  const { progress, summary } = attempt;
  if (progress.step === 'settled') return <SettledRest {...props} settled={progress.settled} />;
  if (progress.step === 'failed') return <FailedRest {...props} failed={progress.failed} />;
  if (progress.step === 'refused' || progress.step === 'absent')
    return (
      <>
        {progress.step === 'refused' && <Refused refusal={progress.refusal} />}
        <div class="pair end">
          <Button onClick={onClose}>{money.attempt.close}</Button>
          <Button kind="primary" onClick={progress.step === 'refused' ? onBack : onNew}>
            {progress.step === 'refused' ? money.attempt.change : money.attempt.newPayment}
          </Button>
        </div>
      </>
    );
  const lntxId = progress.step === 'pending' ? progress.lntxId : undefined;
  return (
    <>
      <Sum
        rows={[
          {
            name: progress.step === 'pending' ? money.attempt.held : money.attempt.heldAtMost,
            value: <Msat msat={heldMsat(summary)} unit />,
          },
          ...(wallet && progress.step === 'pending'
            ? [{ name: money.attempt.spendable, value: <BalanceNow walletId={wallet.id} since={`pending ${lntxId}`} /> }]
            : []),
        ]}
      />
      <p class="tiny secondary">{money.attempt.neverTwice}</p>
      <div class={lntxId === undefined ? 'end stack' : 'pair end'}>
        {lntxId !== undefined && <LinkButton href={`/payments/${lntxId}`}>{money.attempt.openPayment}</LinkButton>}
        <Button kind="primary" onClick={onClose}>
          {money.attempt.close}
        </Button>
      </div>
    </>
  );
}

/** The balance as it is since an event, such as the hold of a payment. The wallet of the page may have been read before it. */
function BalanceNow({ walletId, since }: { walletId: string; since: string }) {
  const { data } = useResource(`wallet ${walletId} ${since}`, (signal) => api.wallets.get(walletId, {}, { signal }), {
    isAffected: ({ data: { wal, wtx } }) => (wal ?? wtx?.wal)?.id === walletId,
  });
  return data ? <Balance sats={data.balance} unit /> : <Skeleton />;
}

function SettledRest({ attempt, wallet, settled, onClose }: AttemptViewProps & { settled: Settled }) {
  const isTransfer = attempt.order.operation === 'transfer';
  const address = attempt.order.fields.ln_address;
  return (
    <>
      <Sum
        rows={[
          ...(!isTransfer && settled.feeMsat !== null ? [{ name: money.attempt.routingFee, value: <Msat msat={settled.feeMsat} /> }] : []),
          ...(settled.serviceFeeMsat !== undefined
            ? [{ name: money.attempt.serviceFee, value: <Msat msat={settled.serviceFeeMsat} /> }]
            : []),
          ...(wallet
            ? [
                {
                  name: money.attempt.newBalance,
                  value: <BalanceNow walletId={wallet.id} since={`settled ${settled.lntxId ?? attempt.id}`} />,
                  isTotal: true,
                },
              ]
            : []),
        ]}
      />
      {typeof address === 'string' && <SaveContact address={address} />}
      {settled.successAction && <SuccessAction action={settled.successAction} />}
      <div class={settled.lntxId === undefined ? 'end stack' : 'pair end'}>
        {settled.lntxId !== undefined && <LinkButton href={`/payments/${settled.lntxId}`}>{money.attempt.openPayment}</LinkButton>}
        <Button kind="primary" onClick={onClose}>
          {money.attempt.done}
        </Button>
      </div>
    </>
  );
}

function FailedRest({ attempt, failed, onClose, onBack, onRaise }: AttemptViewProps & { failed: Failed }) {
  const isRoute = failed.reason === 'NO_ROUTE';
  return (
    <>
      {isRoute && (
        <Note>
          {money.attempt.limitWas} <Msat msat={attempt.summary.feeLimitMsat} unit />
        </Note>
      )}
      <p class="tiny faint mono centered">
        <bdi>{`FAILURE_REASON_${failed.reason}`}</bdi>
      </p>
      <PaymentLink failed={failed} />
      <div class="pair end">
        <Button onClick={onClose}>{money.attempt.close}</Button>
        <Button kind="primary" onClick={isRoute && onRaise ? onRaise : onBack}>
          {isRoute && onRaise ? money.attempt.raise : money.attempt.tryAgain}
        </Button>
      </div>
    </>
  );
}

function Refused({ refusal, text }: { refusal: Refusal; text?: string }) {
  return (
    <Note tone="error">
      {text !== undefined && <p>{text}</p>}
      <p>
        <Foreign text={money.attempt.refusals[refusal.type] ?? textOfError(refusal)} />
      </p>
      <p class="tiny faint mono">{t.common.requestId(refusal.requestId)}</p>
    </Note>
  );
}
