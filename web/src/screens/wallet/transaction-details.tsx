import { Link } from 'wouter-preact';
import { Msat } from '../../parts/amount.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Details } from '../../parts/details.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { rateOf } from '../../parts/requested-price.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { passThruText } from './pass-thru.tsx';
import { type Row, receiverOf } from './rows.ts';
import { typeText } from './transaction-row.tsx';

/** All that is known of a transaction, below its row. */
export function TransactionDetails({ row: { transaction, fee } }: { row: Row }) {
  const { id, created_at, num_msat, wtxType, lnTx, passThru, status, failure_reason, user_label } = transaction;
  const memo = lnTx?.memo || user_label;
  const feeMsat = lnTx?.fee_msat ?? (fee ? -fee.num_msat : null);
  const { name: receiver } = receiverOf(transaction);
  const isInvoice = lnTx !== null && /^ln(bc|tb)/i.test(lnTx.payment_request);
  return (
    <div class="transaction-details">
      <Details
        entries={[
          [t.payment.amount, <Msat key="amount" msat={Math.abs(num_msat)} unit />],
          [t.payment.price, transaction.amount && `${transaction.amount} ${transaction.currency}`],
          [t.payment.rate, rateOf(transaction)],
          [t.payment.fee, feeMsat !== null && num_msat < 0 ? <Msat key="fee" msat={feeMsat} unit /> : undefined],
          [t.wallet.type, typeText(wtxType)],
          [t.wallet.time, <Time key="time" at={created_at} withSeconds />],
          [t.payment.memo, memo ? <Foreign key="memo" text={memo} /> : undefined],
          [t.payment.receiver, receiver !== undefined && <Foreign key="receiver" text={receiver} />],
          [t.payment.reason, status === 'failed' ? (t.payment.failureReasons[failure_reason ?? ''] ?? failure_reason) : undefined],
          [t.payment.otherWallet, otherWalletOf(passThru, transaction.wal.id)],
          [t.payment.comment, passThru.comment_not_sent !== undefined && t.payment.commentNotSent],
          ['passThru', passThruText(passThru)],
        ]}
      />
      <Details
        entries={[
          [t.payment.hash, lnTx && <Identifier key="hash" value={lnTx.r_hash_decoded} label={t.payment.hash} />],
          [
            t.payment.preimage,
            lnTx?.payment_preimage && <Identifier key="preimage" value={lnTx.payment_preimage} label={t.payment.preimage} />,
          ],
          [t.payment.receiver, lnTx && num_msat < 0 && <Identifier key="to" value={lnTx.dest_pubkey} label={t.payment.receiver} />],
          [t.wallet.transaction, <Identifier key="id" value={id} label={t.wallet.transaction} />],
        ]}
      />
      {lnTx && (
        <div class="row wrap">
          <LinkButton size="small" href={`/payments/${lnTx.id}`}>
            {num_msat < 0 ? t.payment.openPayment : t.payment.openInvoice}
          </LinkButton>
          {isInvoice && <CopyButton text={lnTx.payment_request} label={t.payment.copyInvoice} hasText />}
        </div>
      )}
    </div>
  );
}

function otherWalletOf({ source_wallet_id: source, dest_wallet_id: destination }: Record<string, unknown>, walletId: string) {
  const other = source === walletId ? destination : source;
  return typeof other === 'string' ? <Link href={`/wallets/${other}`}>{other}</Link> : undefined;
}
