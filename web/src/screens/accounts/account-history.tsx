import { Link } from 'wouter-preact';
import { api, type OperatorAction } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';
import { Card } from '../../parts/card.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { isFeeDirection, recordedRuleInWords } from '../../policy/fee-rule.ts';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { policy } from '../../texts/en-policy.ts';

/** Older changes are in the API. */
const SHOWN = 50;

export type AccountChanges = Resource<readonly OperatorAction[]>;

export function useAccountChanges(id: string): AccountChanges {
  return useResource(`account changes ${id}`, (signal) => api.operator.listActions({ account_id: id, 'per-page': SHOWN }, { signal }));
}

/** The changes that operators made to an account, newest first. */
export function AccountHistory({ changes }: { changes: AccountChanges }) {
  return (
    <Card title={texts.history}>
      <Loaded resource={changes}>
        {(list) => (list.length === 0 ? <p class="padded secondary">{texts.noHistory}</p> : <ChangeTable changes={list} />)}
      </Loaded>
    </Card>
  );
}

function ChangeTable({ changes }: { changes: readonly OperatorAction[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{texts.what}</th>
          <th class="desktop-only">{texts.who}</th>
          <th class="end">{texts.when}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.id}>
            <td>
              {wordsOf(change).map((words) => (
                <div key={words}>
                  <bdi>{words}</bdi>
                </div>
              ))}
              {change.reason !== '' && (
                <span class="sub">
                  <Foreign text={change.reason} />
                </span>
              )}
              <span class="sub phone-only">
                <Who change={change} />
              </span>
            </td>
            <td class="desktop-only">
              <Who change={change} />
            </td>
            <td class="end secondary">
              <Time at={change.requested_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Only operators change accounts. */
function Who({ change }: { change: OperatorAction }) {
  const own = useSession().account.id;
  return (
    <>
      {texts.roles.operator}
      {change.actor_id === own ? (
        <span class="sub">{texts.you}</span>
      ) : (
        <Link class="sub mono" href={`/accounts/${change.actor_id}`}>
          {change.actor_id}
        </Link>
      )}
    </>
  );
}

/** Returns what an action did: a line for each field that it set. */
function wordsOf({ kind, changes }: OperatorAction): string[] {
  const set = changes.map(({ field, after }) =>
    isFeeDirection(field)
      ? texts.field(policy.fees.directions[field] ?? field)(recordedRuleInWords(after))
      : (texts.fields[field] ?? texts.field(field))(valueText(field, after ?? '')),
  );
  return kind === 'change_account' ? set : [texts.kinds[kind] ?? kind, ...set];
}

function valueText(field: string, value: string): string {
  if (field === 'role') return texts.roles[value] ?? value;
  if (field === 'status') return texts.states[value]?.name ?? value;
  return field === 'max_wallets' && value === '0' ? texts.noLimit : value;
}
