import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, type Connection, type Key } from '../../api/client.ts';
import { Badge, StatusBadge } from '../../parts/badge.tsx';
import { Budget, type BudgetProps } from '../../parts/budget.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { apps } from '../../texts/en-apps.ts';
import { t } from '../../texts/texts.ts';
import { canSend, keysOf } from '../keys/keys-of.ts';

/** What uses a wallet: an app with a connection, or one with a key. */
export interface ConnectionItem {
  readonly id: string;
  readonly name: string;
  /** The protocol, and what it may do. */
  readonly kind: string;
  /** Empty for a key of the account. */
  readonly walletId: string;
  readonly status: string;
  readonly limits: BudgetProps['limits'];
  readonly canSend: boolean;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The page of its details. */
  readonly href: string;
  readonly disconnect: () => Promise<unknown>;
}

export function itemOfConnection(connection: Connection): ConnectionItem {
  return {
    ...timesOf(connection),
    id: connection.id,
    name: connection.user_label || shortKey(connection.client_pubkey),
    kind: `${apps.nwc}: ${connection.permissions.map((one) => apps.short[one] ?? one).join(', ')}`,
    walletId: connection.wallet_id,
    limits: connection,
    canSend: connection.permissions.includes('wallet_withdraw'),
    href: `/connections/${connection.id}`,
    disconnect: () => api.connections.revoke(connection.wallet_id, connection.id),
  };
}

export function itemOfKey(key: Key): ConnectionItem {
  const walletId = key.wallet_id ?? '';
  return {
    ...timesOf(key),
    id: key.id,
    name: key.user_label || key.hint,
    kind: [t.keys.kinds[key.kind] ?? key.kind, ...(key.user_label === '' ? [] : [key.hint])].join(', '),
    walletId,
    limits: key,
    canSend: canSend(key.kind),
    href: `/connections/${key.id}`,
    disconnect: () => keysOf(walletId).revoke(key.id),
  };
}

/** Returns the ends of a public key. Connections without a label are told apart by them. */
function shortKey(pubkey: string): string {
  return `${pubkey.slice(0, 6)}…${pubkey.slice(-4)}`;
}

function timesOf({ status, last_used_at, expires_at, revoked_at }: Connection | Key) {
  return { status, lastUsedAt: last_used_at, expiresAt: expires_at, revokedAt: revoked_at };
}

export interface ConnectionTableProps {
  readonly items: readonly ConnectionItem[];
  /** The labels of wallets by their ids. */
  readonly labels: ReadonlyMap<string, string>;
  /** The connection that was just made, which is marked. */
  readonly madeId: string | undefined;
  readonly onChanged: () => void;
}

export function ConnectionTable({ items, labels, madeId, onChanged }: ConnectionTableProps) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{apps.app}</th>
          <th class="desktop-only">{apps.wallet}</th>
          <th class="desktop-only">{apps.budget}</th>
          <th class="desktop-only">{apps.lastUsed}</th>
          <th class="desktop-only">{apps.ends}</th>
          <th class="end">
            <span class="visually-hidden">{apps.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <ConnectionRow
            key={item.id}
            item={item}
            wallet={labels.get(item.walletId) ?? item.walletId}
            isSelected={item.id === madeId}
            onChanged={onChanged}
          />
        ))}
      </tbody>
    </table>
  );
}

interface ConnectionRowProps {
  readonly item: ConnectionItem;
  readonly wallet: string;
  readonly isSelected: boolean;
  readonly onChanged: () => void;
}

function ConnectionRow({ item, wallet, isSelected, onChanged }: ConnectionRowProps) {
  const budget = <Budget limits={item.limits} canSend={item.canSend} />;
  return (
    <tr class={isSelected ? 'clickable open' : 'clickable'}>
      <td>
        <div class="row wrap">
          <Link class="name" href={item.href}>
            <bdi>{item.name}</bdi>
          </Link>
          <ConnectionStatus item={item} />
        </div>
        <span class="sub desktop-only">{item.kind}</span>
        <div class="phone-only">
          <bdi class="sub">{wallet}</bdi>
          {budget}
        </div>
      </td>
      <td class="desktop-only">
        <Link class="secondary" href={`/wallets/${item.walletId}`}>
          <bdi>{wallet}</bdi>
        </Link>
      </td>
      <td class="desktop-only app-budget">{budget}</td>
      <td class="desktop-only secondary">
        <LastUse item={item} />
      </td>
      <td class="desktop-only secondary">
        <End item={item} />
      </td>
      <td class="end">
        <Disconnect item={item} onChanged={onChanged} />
      </td>
    </tr>
  );
}

/** Nothing for a connection that works. */
export function ConnectionStatus({ item }: { item: ConnectionItem }) {
  if (item.status !== 'active') return <StatusBadge status={item.status} />;
  const { budget_msat: limit, budget_spent_msat: spent, budget_pending_msat: pending } = item.limits;
  if (limit === null || (spent ?? 0) + (pending ?? 0) < limit) return null;
  return (
    <Badge tone="waiting" icon="alert">
      {apps.usedUp}
    </Badge>
  );
}

/** The button that ends a connection or revokes a key of the account, after a confirmation. */
export function Disconnect({ item, onChanged }: { item: ConnectionItem; onChanged: () => void }) {
  const [isEnding, setIsEnding] = useState(false);
  if (item.status !== 'active') return null;
  const [label, title, text, action] =
    item.walletId === ''
      ? [t.keys.revoke, t.keys.revokeTitle(item.name), t.keys.revokeText, t.keys.revokeAction]
      : [apps.disconnect, apps.disconnectTitle(item.name), apps.disconnectText, apps.disconnect];
  return (
    <>
      <Button kind="quiet" size="small" onClick={() => setIsEnding(true)}>
        {label}
      </Button>
      {isEnding && (
        <ConfirmSheet
          title={title}
          text={text}
          action={action}
          onConfirm={async () => {
            await item.disconnect();
            onChanged();
          }}
          onClose={() => setIsEnding(false)}
        />
      )}
    </>
  );
}

export function LastUse({ item: { lastUsedAt: at } }: { item: ConnectionItem }) {
  return at === null ? <span>{apps.notUsed}</span> : <Time at={at} isRelative />;
}

export function End({ item: { walletId, revokedAt, expiresAt } }: { item: ConnectionItem }) {
  if (revokedAt !== null)
    return (
      <>
        {walletId === '' ? t.keys.revokedAt : apps.endedAt} <Time at={revokedAt} />
      </>
    );
  return expiresAt === null ? <span>{apps.never}</span> : <Time at={expiresAt} isRelative />;
}
