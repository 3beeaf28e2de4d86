import { Link } from 'wouter-preact';
import type { LightningTransactionDetails, WalletTransaction } from '../../api/client.ts';
import { Details } from '../../parts/details.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { passThruText } from '../wallet/pass-thru.tsx';
import { receiverOf } from '../wallet/rows.ts';

export interface PaymentDetailsProps {
  readonly lntx: LightningTransactionDetails;
  readonly transaction: WalletTransaction | undefined;
  readonly isSent: boolean;
}

export function PaymentDetails({ lntx, transaction, isSent }: PaymentDetailsProps) {
  const identifier = (value: string | null | undefined, label: string) => value && <Identifier key={label} value={value} label={label} />;
  const wallet = transaction?.wal;
  const receiver = transaction && receiverOf(transaction).name;
  const records = lntx.custom_records && Object.keys(lntx.custom_records).length > 0 ? lntx.custom_records : undefined;
  return (
    <div class="payment-details">
      <Details
        entries={[
          [
            t.wallet.title,
            wallet && (
              <Link href={`/wallets/${wallet.id}`}>
                <bdi>{wallet.user_label || t.wallets.unnamed}</bdi>
              </Link>
            ),
          ],
          [t.wallet.type, transaction && (t.wallet.types[transaction.wtxType.name] ?? transaction.wtxType.display_name)],
          [t.payment.memo, lntx.memo && <Foreign text={lntx.memo} />],
          [t.payment.receiver, receiver !== undefined && <Foreign text={receiver} />],
          [t.payment.expires, !isSent && lntx.expires_at !== null && lntx.is_keysend === 0 && <Time at={lntx.expires_at} withSeconds />],
          [t.payment.hash, identifier(lntx.r_hash_decoded, t.payment.hash)],
          [t.payment.preimage, identifier(lntx.payment_preimage, t.payment.preimage)],
          [t.payment.receiver, isSent && identifier(lntx.dest_pubkey, t.payment.receiver)],
          [t.payment.request, lntx.is_keysend === 0 && identifier(lntx.payment_request, t.payment.request)],
          [t.wallet.transaction, identifier(transaction?.id, t.wallet.transaction)],
          [t.payment.id, identifier(lntx.id, t.payment.id)],
          [t.payment.comment, lntx.passThru?.comment_not_sent !== undefined && t.payment.commentNotSent],
          ['passThru', passThruText(lntx.passThru ?? {})],
          [t.payment.records, records && <code class="mono">{JSON.stringify(records, null, 1)}</code>],
          [t.payment.successAction, successText(lntx.success_action)],
        ]}
      />
    </div>
  );
}

/** The texts are the payee's. An address is shown as text: the person decides whether to open it. */
function successText(action: LightningTransactionDetails['success_action']) {
  const text = [action?.description, action?.message, action?.plaintext, action?.url].filter(Boolean).join(' · ');
  return text && <Foreign text={text} />;
}
