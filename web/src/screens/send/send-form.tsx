import { useEffect, useRef } from 'preact/hooks';
import type { Wallet } from '../../api/client.ts';
import { useNodeState } from '../../api/service-state.ts';
import type { Attempt, Order, Summary } from '../../attempt/attempt.ts';
import { OpenAttempts } from '../../attempt/open-attempts.tsx';
import { isTyping } from '../../frame/shortcuts.ts';
import { formatSats } from '../../parts/amount.tsx';
import { type AmountDraft, AmountFields, draftOfSats, NO_AMOUNT, readDraft } from '../../parts/amount-fields.tsx';
import { useAmountKeys } from '../../parts/amount-keys.tsx';
import { Button } from '../../parts/button.tsx';
import { TextAreaField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { Note } from '../../parts/note.tsx';
import { money } from '../../texts/en-money.ts';
import { t } from '../../texts/texts.ts';
import { recognize } from './destination.ts';
import { defaultFeeLimit, parseFeeLimit } from './limits.ts';
import type { Offer } from './offer.ts';
import { OfferCard } from './offer-card.tsx';
import { amountMsatOf, fixedSats, orderOf, requiredPayerData } from './order.ts';
import { Pull } from './pull.tsx';
import { ServiceFeeSum } from './service-fee-sum.tsx';
import type { useOffer } from './use-offer.ts';
import { quoteOf, useServiceFee, useWhenRead } from './use-service-fee.ts';
import './send.css';

const RecentReceivers = lazy(() => import('./recent-receivers.tsx').then((file) => file.RecentReceivers));

/** What the person has entered. It survives a look at the review. */
export interface SendDraft {
  readonly typed: string;
  readonly amount: AmountDraft;
  /** Absent: the default of the service. */
  readonly fee: string | undefined;
  readonly comment: string;
  readonly payerData: Readonly<Record<string, string>>;
}

export interface SendFormProps {
  readonly walletId: string;
  readonly wallet: Wallet | undefined;
  readonly draft: SendDraft;
  readonly onDraft: (draft: SendDraft) => void;
  /** What the destination of the draft offers. */
  readonly reading: ReturnType<typeof useOffer>;
  /** Payments of the wallet whose outcome is not known yet. */
  readonly open: readonly Attempt[];
  readonly onReview: (order: Order, summary: Summary) => void;
}

export function SendForm({ walletId, wallet, draft, onDraft, reading, open, onReview }: SendFormProps) {
  const { offer, isReading, hasFailed } = reading;
  const node = useNodeState(wallet?.ln_node_id);
  const isInactive = wallet?.statusType.name === 'inactive';
  const blocked = isInactive ? t.wallet.inactive : node.canSend ? undefined : node.reason;
  const enter = (typed: string) => onDraft({ typed, amount: NO_AMOUNT, fee: undefined, comment: '', payerData: {} });
  const change = (changes: Partial<SendDraft>) => onDraft({ ...draft, ...changes });
  const isWithdraw = offer?.kind === 'withdraw';
  const destination = recognize(draft.typed).kind;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (draft.typed === '') element.current?.querySelector('textarea')?.focus();
  }, []);

  /** A destination is one line. Enter reviews the payment. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    element.current?.querySelector('form')?.requestSubmit();
  }

  return (
    <div class="send" ref={element}>
      <OpenAttempts attempts={open} />
      <TextAreaField
        label={isWithdraw ? money.send.link : money.send.to}
        class={destination === 'address' || destination === 'empty' ? undefined : 'mono'}
        rows={!isWithdraw && (destination === 'invoice' || destination === 'lnurl') ? 3 : 1}
        spellcheck={false}
        autocomplete="off"
        onKeyDown={onKeyDown}
        value={draft.typed}
        hint={isWithdraw ? undefined : money.send.toHint}
        error={offer?.kind === 'unusable' ? offer.reason : undefined}
        onValue={enter}
      />
      {destination === 'empty' && <RecentReceivers walletId={walletId} onChoose={enter} hasContacts />}
      <div role="status">
        {isReading && <p class="small secondary">{money.send.reading}</p>}
        {hasFailed && <Note tone="warning">{money.send.notRead}</Note>}
        {offer && offer.kind !== 'unusable' && <OfferCard offer={offer} />}
      </div>
      {isWithdraw && (
        <Pull
          key={offer.text}
          walletId={walletId}
          walletName={wallet?.user_label}
          offer={offer}
          blocked={node.canReceive ? undefined : node.reason}
        />
      )}
      {offer && offer.kind !== 'unusable' && !isWithdraw && wallet && (
        <PaymentFields offer={offer} wallet={wallet} draft={draft} blocked={blocked} onChange={change} onReview={onReview} />
      )}
    </div>
  );
}

type Payable = Exclude<Offer, { kind: 'withdraw' | 'unusable' }>;

interface PaymentFieldsProps {
  readonly offer: Payable;
  readonly wallet: Wallet;
  readonly draft: SendDraft;
  readonly blocked: string | undefined;
  readonly onChange: (changes: Partial<SendDraft>) => void;
  readonly onReview: (order: Order, summary: Summary) => void;
}

function PaymentFields({ offer, wallet, draft, blocked, onChange, onReview }: PaymentFieldsProps) {
  const fixed = fixedSats(offer);
  const entered = readDraft(draft.amount);
  const sats = fixed ?? entered.sats;
  const amountError = sats === undefined ? (entered.isInvalid ? money.send.amountError : undefined) : whyTooMuch(sats, offer, wallet);
  const service = useServiceFee(wallet.id, sats === undefined ? undefined : quoteOf(offer, sats));
  const available = wallet.balance - Math.ceil(service.feeMsat / 1000);
  const fee = draft.fee === undefined ? defaultFeeLimit(sats ?? 0, available) : parseFeeLimit(draft.fee);
  const feeError =
    fee === undefined ? money.send.feeError : amountError === undefined ? whyFeesTooHigh(sats, fee, wallet.balance, available) : undefined;
  const payable = Math.floor(wallet.max_payable_msat / 1000);
  const isTooMuch = sats !== undefined && sats > wallet.balance;
  const required = requiredPayerData(offer);
  const isComplete = required.every((name) => (draft.payerData[name] ?? '').trim() !== '');
  const maxComment = offer.kind === 'link' ? offer.link.commentAllowed : 0;
  const commentError = [...draft.comment.trim()].length > maxComment && maxComment > 0 ? money.send.commentTooLong(maxComment) : undefined;
  const isReady = sats !== undefined && !amountError && !feeError && !commentError && isComplete && blocked === undefined;

  function review() {
    if (!isReady || sats === undefined || fee === undefined) return;
    const serviceFeeMsat = service.feeMsat;
    const { comment, payerData, typed } = draft;
    const price = fixed === undefined ? entered.price : undefined;
    const { order, summary } = orderOf(offer, {
      walletId: wallet.id,
      sats,
      price,
      feeLimit: fee,
      serviceFeeMsat,
      comment,
      payerData,
      typed,
    });
    onReview(order, summary);
  }
  const { submit, isWaiting } = useWhenRead(service, JSON.stringify(draft), review);
  const { input, keys } = useAmountKeys();
  // The receiver was scanned or chosen from a list.
  useEffect(() => {
    if (draft.amount === NO_AMOUNT && !isTyping(document.activeElement))
      document.querySelector<HTMLElement>('.send-fields .input.amount')?.focus();
  }, []);

  return (
    <Form class={isWaiting ? 'send-fields waiting' : 'send-fields'} onSubmit={submit}>
      {fixed === undefined ? (
        <AmountFields
          label={money.send.amount}
          draft={draft.amount}
          onDraft={(amount) => onChange({ amount })}
          error={amountError}
          hint={money.send.spendable(formatSats(wallet.balance))}
        />
      ) : (
        amountError && <Note tone="error">{amountError}</Note>
      )}
      {isTooMuch && fixed === undefined && payable > 0 && (
        <Button size="small" class="use-all" onClick={() => onChange({ amount: draftOfSats(payable), fee: undefined })}>
          {money.send.use(formatSats(payable))}
        </Button>
      )}
      <PayeeFields draft={draft} maxComment={maxComment} commentError={commentError} required={required} onChange={onChange} />
      <TextField
        label={money.send.feeLimit}
        {...input}
        autocomplete="off"
        value={draft.fee ?? formatSats(fee ?? 0)}
        onValue={(value) => onChange({ fee: value })}
        hint={money.send.feeHint}
        error={feeError}
      />
      {keys}
      {sats !== undefined && <ServiceFeeSum amountMsat={amountMsatOf(offer, sats)} fee={service} isWaiting={isWaiting} />}
      {blocked !== undefined && <Note tone="warning">{blocked}</Note>}
      <Button type="submit" kind="primary" size="big" disabled={!isReady || isWaiting}>
        {money.send.review}
      </Button>
    </Form>
  );
}

interface PayeeFieldsProps extends Pick<PaymentFieldsProps, 'draft' | 'onChange'> {
  readonly maxComment: number;
  readonly commentError: string | undefined;
  /** The names of what the payee requires to know. */
  readonly required: readonly string[];
}

/** The fields of what the payee of a link receives with the payment. */
function PayeeFields({ draft, maxComment, commentError, required, onChange }: PayeeFieldsProps) {
  return (
    <>
      {maxComment > 0 && (
        <TextField
          label={money.send.comment}
          value={draft.comment}
          onValue={(comment) => onChange({ comment })}
          error={commentError}
          hint={money.send.commentHint(maxComment)}
        />
      )}
      {required.map((name) => (
        <TextField
          key={name}
          label={money.send.payerData[name] ?? name}
          hint={money.send.payerDataHint}
          value={draft.payerData[name] ?? ''}
          onValue={(value) => onChange({ payerData: { ...draft.payerData, [name]: value } })}
        />
      ))}
    </>
  );
}

/** Returns whether amount and fee limit are more than the wallet has, with the fee of this service. */
function whyFeesTooHigh(sats: number | undefined, fee: number, balance: number, available: number): string | undefined {
  if (sats === undefined || sats + fee <= available) return undefined;
  return sats + fee > balance ? money.send.feeTooHigh : money.send.feesTooHigh;
}

function whyTooMuch(sats: number, offer: Payable, wallet: Wallet): string | undefined {
  if (sats > wallet.balance) return money.send.tooMuch(formatSats(Math.floor(wallet.max_payable_msat / 1000)));
  if (offer.kind !== 'link') return undefined;
  const { minSendable, maxSendable } = offer.link;
  const [least, most] = [Math.ceil(minSendable / 1000), Math.floor(maxSendable / 1000)];
  return minSendable !== maxSendable && (sats < least || sats > most)
    ? money.send.outOfRange(formatSats(least), formatSats(most))
    : undefined;
}
