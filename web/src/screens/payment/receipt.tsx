import { Msat, Sats } from '../../parts/amount.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { PrintButton } from '../../parts/print.tsx';
import { requestedPrice } from '../../parts/requested-price.tsx';
import { Time } from '../../parts/time.tsx';
import { print as texts } from '../../texts/en-print.ts';
import { t } from '../../texts/texts.ts';
import { receiverOf } from '../wallet/rows.ts';
import type { PaymentData } from './use-payment.ts';

/** Prints the receipt of a settled payment: what moved, when, and the proof. */
export function ReceiptButton({ data: { lntx, transaction }, isSent }: { data: PaymentData; isSent: boolean }) {
  const wallet = transaction?.wal;
  const receiver = transaction && receiverOf(transaction).name;
  const memo = transaction?.user_label || lntx.memo;
  const rows = [
    [t.payment.amount, <Sats sats={lntx.num_satoshis} unit />, 'large'],
    [t.payment.price, requestedPrice(lntx)],
    [t.payment.fee, isSent && lntx.fee_msat !== null && <Msat msat={lntx.fee_msat} unit />],
    [texts.serviceFee, isSent && lntx.service_fee_msat > 0 && <Msat msat={lntx.service_fee_msat} unit />],
    [texts.date, <Time at={lntx.settled_at ?? lntx.created_at} withSeconds />],
    [t.wallet.title, wallet && <bdi>{wallet.user_label || wallet.id}</bdi>],
    [t.payment.memo, memo && <Foreign text={memo} />],
    [t.payment.receiver, receiver !== undefined && <Foreign text={receiver} />],
    [t.payment.receiver, isSent && lntx.dest_pubkey && <code class="mono">{lntx.dest_pubkey}</code>],
    [t.payment.hash, <code class="mono">{lntx.r_hash_decoded}</code>],
    [texts.preimage, lntx.payment_preimage && <code class="mono">{lntx.payment_preimage}</code>],
    [t.payment.id, <code class="mono">{lntx.id}</code>],
  ] as const;
  return (
    <PrintButton label={texts.receiptAction}>
      <h1>
        {texts.receipt}: {isSent ? texts.sent : texts.received}
      </h1>
      <dl class="receipt">
        {rows.map(
          ([name, value, look]) =>
            value && (
              <>
                <dt>{name}</dt>
                <dd class={look}>{value}</dd>
              </>
            ),
        )}
      </dl>
    </PrintButton>
  );
}
