import { useAction } from '../../api/action.ts';
import type { Resource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
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
  readonly texts: { readonly unnamed: string; readonly created: string; readonly remove: string };
  readonly remove: (id: string) => Promise<unknown>;
}

/** The logins of a kind, each with a button that removes it. */
export function LoginList({ logins, texts, remove }: LoginListProps) {
  const { run, isBusy, error } = useAction(async (id: string) => {
    await remove(id);
    logins.reload();
  });
  return (
    <>
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Loaded resource={logins}>
        {(list) => (
          <>
            {list.map(({ id, name, created_at, last_used_at }) => (
              <div class="row wrap" key={id}>
                <div class="shrink">
                  <bdi class="strong">{name || texts.unnamed}</bdi>
                  <div class="small secondary">
                    {texts.created} <Time at={created_at} />
                    {last_used_at !== null && (
                      <>
                        {` · ${t.settings.lastUsed} `}
                        <Time at={last_used_at} />
                      </>
                    )}
                  </div>
                </div>
                <Button size="small" class="push" disabled={isBusy} onClick={() => run(id)}>
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
