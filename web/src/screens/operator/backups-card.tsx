import type { OperatorOverview } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Stat } from '../../parts/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { desk } from '../../texts/en-desk.ts';
import { useAnchor } from './use-anchor.ts';

const texts = desk.backups;

/** The newest backup. The alerts about backups lead to it with `#backups`. */
export function BackupsCard({ overview: { last_backup_at: at, last_backup_bytes: bytes } }: { overview: OperatorOverview }) {
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
      </Card>
    </div>
  );
}
