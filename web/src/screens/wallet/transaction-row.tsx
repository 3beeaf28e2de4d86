import { Link } from 'wouter-preact';
import type { WalletTransaction } from '../../api/client.ts';
import { Sats, SignedAmount } from '../../parts/amount.tsx';
import { Badge, StatusBadge } from '../../parts/badge.tsx';
import { formatMinute } from '../../parts/format-time.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { linkName } from '../../parts/link-text.ts';
import { requestedPrice } from '../../parts/requested-price.tsx';
import { t } from '../../texts/texts.ts';
import { keysendReceiver, type Row, receiverOf } from './rows.ts';

export interface TransactionRowProps {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** Shows the wallet, in a list of several wallets, in place of the balance after it. */
  readonly hasWallet?: boolean;
}

export function TransactionRow({ row, isOpen, onToggle, hasWallet = false }: TransactionRowProps) {
  const { transaction } = row;
  const { id, created_at, status, balance_after_msat, lnTx } = transaction;
  // The payment of a hold invoice moves no money until it is settled, so its transaction is an open invoice.
  const shown = status === 'open' && lnTx?.status === 'held' ? 'held' : status;
  return (
    <tr class={isOpen ? 'clickable open' : 'clickable'}>
      <td>
        <div class="row wide">
          <span class={transaction.num_msat > 0 && status === 'settled' ? 'direction in' : 'direction'}>
            <Icon name={iconOf(transaction)} />
          </span>
          <div class="shrink">
            <button type="button" class="name" aria-expanded={isOpen} aria-controls={`details-${id}`} onClick={onToggle}>
              <bdi>{nameOf(transaction)}</bdi>
            </button>
            <span class="sub">
              <span class={status === 'settled' ? undefined : 'desktop-only'}>{subtitleOf(transaction)}</span>
              <span class="phone-only">
                {status === 'settled' && ' · '}
                {hasWallet && (
                  <>
                    <bdi>{walletName(transaction)}</bdi>
                    {' · '}
                  </>
                )}
                {clockOf(created_at)}
                {status !== 'settled' && ` · ${t.wallet.unbooked[status]}`}
              </span>
            </span>
          </div>
        </div>
      </td>
      {hasWallet && (
        <td class="desktop-only">
          <Link class="secondary" href={`/wallets/${transaction.wal.id}`}>
            <bdi>{walletName(transaction)}</bdi>
          </Link>
        </td>
      )}
      <td class="desktop-only secondary number">{clockOf(created_at)}</td>
      <td class="desktop-only">
        <TransactionStatus status={shown} />
      </td>
      <td class="end">
        <Amount row={row} />
        {status !== 'settled' && (
          <div class="phone-only">
            <TransactionStatus status={shown} />
          </div>
        )}
      </td>
      {!hasWallet && (
        <td class="end desktop-only secondary">
          {balance_after_msat === null ? (
            <span class="faint">{t.wallet.unchanged}</span>
          ) : (
            <Sats sats={Math.floor(balance_after_msat / 1000)} />
          )}
        </td>
      )}
    </tr>
  );
}

function walletName({ wal }: WalletTransaction): string {
  return wal.user_label || wal.id;
}

/**
 * Returns the label, with the ends of public keys and hashes in it. Without a label, it is the receiver, or else what happened. The type is below it.
 */
export function nameOf(transaction: WalletTransaction): string {
  const { user_label, wtxType, status, num_msat, lnTx } = transaction;
  const receiver = lnTx?.is_keysend === 1 ? keysendReceiver(user_label) : undefined;
  if (receiver !== undefined) return t.wallet.keysendTo(`${receiver.slice(0, 6)}…${receiver.slice(-4)}`);
  if (user_label) return linkName(user_label).replaceAll(LONG_HEX, (hex) => `${hex.slice(0, 6)}…${hex.slice(-4)}`);
  if (!wtxType.name.startsWith('ln_')) return typeText(wtxType);
  const { name } = receiverOf(transaction);
  if (name !== undefined) return name;
  if (status === 'settled') return num_msat > 0 ? t.wallet.received : t.wallet.sent;
  return num_msat > 0 ? t.payment.invoice : t.payment.payment;
}

const LONG_HEX = /\b[0-9a-f]{40,}\b/gi;

export function typeText({ name, display_name }: WalletTransaction['wtxType']): string {
  return t.wallet.types[name] ?? display_name;
}

/** Returns the type of a payment, and the receiver unless the name is the receiver. */
function subtitleOf(transaction: WalletTransaction) {
  const { wtxType, status, failure_reason, lnTx, user_label } = transaction;
  if (status === 'failed') return t.payment.failureReasons[failure_reason ?? ''] ?? typeText(wtxType);
  if (lnTx?.is_keysend === 1) return `${typeText(wtxType)} · ${t.payment.keysend}`;
  const { name, key } = receiverOf(transaction);
  const receiver = user_label ? (name ?? key) : name === undefined && key;
  return receiver ? `${typeText(wtxType)} · ${receiver}` : typeText(wtxType);
}

function iconOf({ wtxType, num_msat, status }: WalletTransaction): IconName {
  if (status === 'failed') return 'failed';
  if (wtxType.name.startsWith('ln_transfer')) return 'transfer';
  return num_msat > 0 ? 'in' : 'out';
}

/** An open invoice moves no money yet, so its status is quiet. */
export function TransactionStatus({ status }: { status: string }) {
  return status === 'open' ? (
    <Badge tone="plain" icon="clock">
      {t.wallet.open}
    </Badge>
  ) : (
    <StatusBadge status={status} />
  );
}

function Amount({ row: { transaction, fee } }: { row: Row }) {
  const { status, num_satoshis, lnTx } = transaction;
  const isBooked = status === 'settled';
  return (
    <>
      <span class="row-amount">
        {isBooked ? <SignedAmount sats={num_satoshis} /> : <Unbooked sats={num_satoshis} isHeld={status === 'pending'} />}
      </span>
      {requestedPrice(transaction)}
      {isBooked && (fee || (lnTx?.fee_msat ?? 0) > 0) && (
        <span class="sub">
          {t.wallet.fee} <Sats sats={fee ? fee.num_satoshis : -Math.ceil((lnTx?.fee_msat ?? 0) / 1000)} />
        </span>
      )}
      {!isBooked && <span class="sub desktop-only">{t.wallet.unbooked[status]}</span>}
    </>
  );
}

/** Money that is held has a sign. What failed or was only requested has moved nothing, so it has none. */
function Unbooked({ sats, isHeld }: { sats: number; isHeld: boolean }) {
  if (isHeld) return <Sats sats={sats} sign />;
  return (
    <span class="faint">
      <Sats sats={Math.abs(sats)} />
    </span>
  );
}

/** The group says the day. */
function clockOf(at: number): string {
  return formatMinute(at * 1000);
}
