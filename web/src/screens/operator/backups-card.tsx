import type { OperatorOverview } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Stat } from '../../parts/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { desk } from '../../texts/en-desk.ts';
import { service } from '../../texts/en-service.ts';
import './backups.css';
import { useAnchor } from './use-anchor.ts';

const texts = desk.backups;
const { backups: runTexts } = service;

/** The newest backup, and the last ones with their result. The alerts about backups lead to it with `#backups`. */
export function BackupsCard({ overview: { last_backup_at: at, last_backup_bytes: bytes, backups } }: { overview: OperatorOverview }) {
  const element = useAnchor('backups');
  return (
    <div ref={element} id="backups">
      <Card title={texts.title} isPadded>
        {at === null ? (
          <Stat name={texts.newest} remark={texts.hint}>
            {texts.none}
          </Stat>
        ) : (
          <Stat name={texts.newest} remark={texts.size(((bytes ?? 0) / 1_000_000).toFixed(1))}>
            <Time at={at} isRelative />
          </Stat>
        )}
        {backups.length > 0 && <Runs backups={backups} />}
      </Card>
    </div>
  );
}

/** The last backups, newest first. The reason of a failure is a text of the service. */
function Runs({ backups }: Pick<OperatorOverview, 'backups'>) {
  return (
    <section aria-label={runTexts.last}>
      <h3 class="small secondary">{runTexts.last}</h3>
      <ul class="backup-runs">
        {backups.map(({ started_at: at, ended_at: end, status, bytes, failure }) => (
          <li key={`${at} ${end}`}>
            <span class="row wrap small">
              <Time at={at} />
              <span class="push">
                {status === 'checked' ? (
                  <Badge tone="done" icon="done">
                    {runTexts.checked}
                  </Badge>
                ) : (
                  <Badge tone="failed" icon="failed">
                    {runTexts.failed}
                  </Badge>
                )}
              </span>
            </span>
            <span class="small secondary">
              {failure === null ? runTexts.result(((bytes ?? 0) / 1_000_000).toFixed(1), end - at) : <Foreign text={failure} />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
