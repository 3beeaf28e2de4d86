import type { FeeVersion } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { useSession } from '../api/session.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { Time } from '../parts/time.tsx';
import { policy } from '../texts/en-policy.ts';
import { FeeWords } from './fees-card.tsx';
import type { PolicySheetProps } from './fees-sheet.tsx';
import { apiOf } from './owner.ts';
import './policy.css';

/** Older versions are in the API. */
const SHOWN = 50;

const texts = policy.fees;

/** All versions of the fees, newest first. */
export function FeeVersionsSheet({ owner, onClose }: Pick<PolicySheetProps, 'owner' | 'onClose'>) {
  const versions = useResource(`fee versions ${owner.id}`, (signal) =>
    apiOf(owner).listFeeVersions(owner.id, { 'per-page': SHOWN }, { signal }),
  );
  return (
    <Sheet title={texts.versionsTitle(owner.name)} onClose={onClose}>
      <Loaded resource={versions}>
        {(list) =>
          list.length === 0 ? (
            <p class="secondary">{texts.noVersions}</p>
          ) : (
            <ol class="fee-versions">
              {list.map((version) => (
                <li key={version.id}>
                  <Version version={version} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Sheet>
  );
}

function Version({ version }: { readonly version: FeeVersion }) {
  const own = useSession().account.id;
  const isOwn = version.made_by.endsWith(` of ${own}`);
  return (
    <div class="stack tight">
      <h3 class="strong">{texts.version(version.version)}</h3>
      {version.is_removed ? <p>{texts.removed}</p> : <FeeWords schedule={version} />}
      {version.reason !== '' && (
        <p>
          <Foreign text={version.reason} />
        </p>
      )}
      <p class="small secondary">
        <Time at={version.created_at ?? 0} /> {texts.by} {isOwn ? texts.you : <span class="mono">{version.made_by}</span>}
      </p>
    </div>
  );
}
