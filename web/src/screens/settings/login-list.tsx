import { useState } from 'preact/hooks';
import type { Resource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';

/** A passkey or a linked wallet. */
interface Login {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

export interface LoginListProps {
  readonly logins: Resource<readonly Login[]>;
  readonly texts: {
    readonly unnamed: string;
    readonly created: string;
    readonly remove: string;
    readonly removeTitle: (name: string) => string;
    readonly removeText: string;
  };
  readonly remove: (id: string) => Promise<unknown>;
}

/** The logins of a kind, each with a button that removes it once that is confirmed. */
export function LoginList({ logins, texts, remove }: LoginListProps) {
  const [removed, setRemoved] = useState<Login>();
  return (
    <>
      {removed && (
        <ConfirmSheet
          title={texts.removeTitle(removed.name || texts.unnamed)}
          text={texts.removeText}
          action={texts.remove}
          onConfirm={async () => {
            await remove(removed.id);
            logins.reload();
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
      <Loaded resource={logins}>
        {(list) => (
          <>
            {list.map((login) => (
              <div class="row wrap" key={login.id}>
                <div class="shrink">
                  <bdi class="strong">{login.name || texts.unnamed}</bdi>
                  <div class="small secondary">
                    {texts.created} <Time at={login.created_at} />
                    {login.last_used_at !== null && (
                      <>
                        {` · ${t.settings.lastUsed} `}
                        <Time at={login.last_used_at} />
                      </>
                    )}
                  </div>
                </div>
                <Button size="small" class="push" onClick={() => setRemoved(login)}>
                  {texts.remove}
                </Button>
              </div>
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}
