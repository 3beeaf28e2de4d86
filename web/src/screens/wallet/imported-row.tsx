import type { ImportedTransaction } from '../../api/client.ts';
import { Msat, Sats, SignedAmount } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Details } from '../../parts/details.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { Time } from '../../parts/time.tsx';
import { imported as texts } from '../../texts/en-imported.ts';
import { t } from '../../texts/texts.ts';
import { passThruText } from './pass-thru.tsx';

interface ImportedRowProps {
  readonly row: ImportedTransaction;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function ImportedRow({ row, isOpen, onToggle }: ImportedRowProps) {
  const { id, created_at, num_msat, num_satoshis, fee_msat, user_label, status, kind } = row;
  const isSettled = status === 'settled';
  const kindText = texts.kinds[kind] ?? kind;
  return (
    <tr class={isOpen ? 'clickable open' : 'clickable'}>
      <td>
        <div class="row wide">
          <span class={num_msat > 0 && isSettled ? 'direction in' : 'direction'}>
            <Icon name={kind === 'internal' ? 'transfer' : num_msat > 0 ? 'in' : 'out'} />
          </span>
          <div class="shrink">
            <button type="button" class="name" aria-expanded={isOpen} aria-controls={`details-${id}`} onClick={onToggle}>
              <bdi>{user_label || kindText}</bdi>
            </button>
            <span class="sub">
              {kindText}
              <span class="phone-only">
                {' · '}
                <Time at={created_at} />
              </span>
            </span>
          </div>
        </div>
      </td>
      <td class="desktop-only secondary">
        <Time at={created_at} />
      </td>
      <td class="desktop-only">
        <ImportedStatus status={status} />
      </td>
      <td class="end">
        <span class="row-amount">
          {isSettled ? (
            <SignedAmount sats={num_satoshis} />
          ) : (
            <span class="faint">
              <Sats sats={num_satoshis} sign />
            </span>
          )}
        </span>
        {isSettled && fee_msat > 0 && (
          <span class="sub">
            {t.wallet.fee} <Msat msat={-fee_msat} />
          </span>
        )}
        {!isSettled && <span class="sub">{texts.unbooked[status]}</span>}
      </td>
    </tr>
  );
}

/** It does not change any more, so it is quiet. */
function ImportedStatus({ status }: Pick<ImportedTransaction, 'status'>) {
  return <Badge tone={status === 'settled' ? 'done' : 'plain'}>{texts.statuses[status] ?? status}</Badge>;
}

/** All that is known of a row, below it. */
export function ImportedDetails({ row }: { readonly row: ImportedTransaction }) {
  const program = texts.programs[row.source] ?? row.source;
  const { payment_hash, payment_preimage, payment_request, user_label, settled_at } = row;
  return (
    <div class="transaction-details">
      <Details
        entries={[
          [t.payment.amount, <Msat key="amount" msat={Math.abs(row.num_msat)} unit />],
          [texts.fee, row.fee_msat > 0 && <Msat key="fee" msat={row.fee_msat} unit />],
          [texts.kind, texts.kinds[row.kind]],
          [t.wallet.status, texts.statuses[row.status]],
          [t.wallet.time, <Time key="time" at={row.created_at} withSeconds />],
          [texts.settled, settled_at !== null && <Time key="settled" at={settled_at} withSeconds />],
          [t.payment.memo, user_label !== '' && <Foreign key="memo" text={user_label} />],
          [texts.fields(program), passThruText(row.data)],
        ]}
      />
      <Details
        entries={[
          [t.payment.hash, payment_hash !== null && <Identifier key="hash" value={payment_hash} label={t.payment.hash} />],
          [t.payment.preimage, payment_preimage !== null && <Identifier key="proof" value={payment_preimage} label={t.payment.preimage} />],
          [texts.id(program), <Identifier key="id" value={row.source_id} label={texts.id(program)} />],
        ]}
      />
      {payment_request !== null && (
        <div class="row wrap">
          <CopyButton text={payment_request} label={t.payment.copyInvoice} hasText />
        </div>
      )}
    </div>
  );
}
