import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Key, NewKey } from '../../api/client.ts';
import { Budget } from '../../parts/budget.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { canSend, type KeyOwner } from './keys-of.ts';
import { RotateSheet } from './rotate.tsx';

export interface KeyRowProps {
  readonly listed: Key;
  readonly owner: KeyOwner;
  /** The key that was just created, which is marked. */
  readonly createdId: string | undefined;
  readonly onCreated: (key: NewKey) => void;
  readonly onChanged: () => void;
}

export function KeyRow({ listed, owner, createdId, onCreated, onChanged }: KeyRowProps) {
  const [sheet, setSheet] = useState<'rotate' | 'revoke'>();
  const name = listed.user_label || listed.hint;
  const close = () => setSheet(undefined);
  // Keys in links authenticate no requests.
  const isLinkKey = listed.kind.startsWith('wallet_lnurl_');
  // Public keys are identifiers, not secrets.
  const canChange = listed.status === 'active' && listed.kind !== 'public_api' && !isLinkKey;
  // An app has a key pair of its own: it is connected again instead.
  const canRotate = listed.kind !== 'wallet_connection';

  // The page of a key shows what it has paid.
  const hasPage = !isLinkKey && listed.kind !== 'public_api';
  const nameClass = listed.user_label === '' ? 'name mono' : 'name';

  async function revoke() {
    await owner.revoke(listed.id);
    onChanged();
  }

  return (
    <tr class={[hasPage && 'clickable', listed.id === createdId && 'open'].filter(Boolean).join(' ')}>
      <td>
        {hasPage ? (
          <Link class={nameClass} href={`/connections/${listed.id}`}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi class={nameClass}>{name}</bdi>
        )}
        {listed.user_label !== '' && <span class="sub mono desktop-only">{listed.hint}</span>}
        <span class="phone-only">
          <Budget limits={listed} canSend={canSend(listed.kind)} />
        </span>
      </td>
      <td class="desktop-only">{t.keys.kinds[listed.kind] ?? listed.kind}</td>
      <td class="desktop-only key-budget">
        <Budget limits={listed} canSend={canSend(listed.kind)} />
      </td>
      <td class="desktop-only secondary">{!isLinkKey && <LastUse listed={listed} />}</td>
      <td class="desktop-only secondary">
        {listed.revoked_at !== null ? (
          <>
            {t.keys.revokedAt} <Time at={listed.revoked_at} />
          </>
        ) : listed.expires_at === null ? (
          t.keys.never
        ) : (
          <Time at={listed.expires_at} isRelative />
        )}
      </td>
      <td class="end">
        {canChange && (
          <div class="row key-actions">
            {canRotate && (
              <Button kind="quiet" size="small" onClick={() => setSheet('rotate')}>
                {t.keys.rotate}
              </Button>
            )}
            <Button kind="quiet" size="small" onClick={() => setSheet('revoke')}>
              {t.keys.revoke}
            </Button>
          </div>
        )}
        {sheet === 'rotate' && (
          <RotateSheet name={name} rotate={(...args) => owner.rotate(listed.id, ...args)} onCreated={onCreated} onClose={close} />
        )}
        {sheet === 'revoke' && (
          <ConfirmSheet
            title={t.keys.revokeTitle(name)}
            text={t.keys.revokeText}
            action={t.keys.revokeAction}
            onConfirm={revoke}
            onClose={close}
          />
        )}
      </td>
    </tr>
  );
}

function LastUse({ listed }: { listed: Key }) {
  return listed.last_used_at === null ? <span>{t.keys.notUsed}</span> : <Time at={listed.last_used_at} isRelative />;
}
