import { useState } from 'preact/hooks';
import { api, type Connection } from '../../api/client.ts';
import { Badge, StatusBadge } from '../../parts/badge.tsx';
import { Budget } from '../../parts/budget.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { apps } from '../../texts/en-apps.ts';

/** A connected app: what it may do, what it has spent, and when it last used the wallet. */
export function AppRow({ connection, onChanged }: { connection: Connection; onChanged: () => void }) {
  const [isEnding, setIsEnding] = useState(false);
  const name = connection.user_label || apps.unnamed;
  const budget = <Budget limits={connection} canSend={connection.permissions.includes('wallet_withdraw')} />;
  const status =
    connection.status === 'active' ? (
      isUsedUp(connection) && (
        <Badge tone="waiting" icon="alert">
          {apps.usedUp}
        </Badge>
      )
    ) : (
      <StatusBadge status={connection.status} />
    );

  async function disconnect() {
    await api.connections.revoke(connection.wallet_id, connection.id);
    onChanged();
  }

  return (
    <tr>
      <td>
        <div class="row wrap">
          <bdi class="name">{name}</bdi>
          {status}
        </div>
        <span class="sub">
          {apps.nwc}: {connection.permissions.map((one) => apps.short[one] ?? one).join(', ')}
        </span>
        <div class="phone-only">
          {budget}
          <span class="sub">
            {apps.lastUsed}: <LastUse connection={connection} />
          </span>
          <span class="sub">
            {apps.ends}: <End connection={connection} />
          </span>
        </div>
      </td>
      <td class="desktop-only app-budget">{budget}</td>
      <td class="desktop-only secondary">
        <LastUse connection={connection} />
      </td>
      <td class="desktop-only secondary">
        <End connection={connection} />
      </td>
      <td class="end">
        {connection.status === 'active' && (
          <Button kind="quiet" size="small" onClick={() => setIsEnding(true)}>
            {apps.disconnect}
          </Button>
        )}
        {isEnding && (
          <ConfirmSheet
            title={apps.disconnectTitle(name)}
            text={apps.disconnectText}
            action={apps.disconnect}
            onConfirm={disconnect}
            onClose={() => setIsEnding(false)}
          />
        )}
      </td>
    </tr>
  );
}

function LastUse({ connection: { last_used_at: at } }: { connection: Connection }) {
  return at === null ? <span>{apps.notUsed}</span> : <Time at={at} isRelative />;
}

function End({ connection: { revoked_at: revokedAt, expires_at: expiresAt } }: { connection: Connection }) {
  if (revokedAt !== null)
    return (
      <>
        {apps.endedAt} <Time at={revokedAt} />
      </>
    );
  return expiresAt === null ? <span>{apps.never}</span> : <Time at={expiresAt} isRelative />;
}

function isUsedUp({ budget_msat: limit, budget_spent_msat: spent, budget_pending_msat: pending }: Connection): boolean {
  return limit !== null && (spent ?? 0) + (pending ?? 0) >= limit;
}
