import type { Liquidity } from '../../api/client.ts';
import { wholeSats } from '../../parts/balance-bar.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { service } from '../../texts/en-service.ts';
import { ChannelSums } from './channel-sums.tsx';
import { useLiquidity } from './use-liquidity.ts';

const texts = service.liquidity;

/** What all nodes can send and receive, and how long that lasts. */
export function LiquidityCard() {
  const liquidity = useLiquidity();
  return (
    <Card title={texts.title} isPadded>
      <Loaded resource={liquidity} skeleton={<Skeleton height="140px" />}>
        {(data) => <Sums data={data} />}
      </Loaded>
    </Card>
  );
}

function Sums({ data }: { data: Liquidity }) {
  const { num_counted: counted, num_nodes: nodes } = data;
  if (counted === 0) return <p class="secondary">{texts.none}</p>;
  return (
    <div class="stack">
      {counted < nodes && <Note tone="warning">{texts.counted(counted, nodes)}</Note>}
      <ChannelSums list={data} />
      <div class="operator-figures">
        <Stat name={texts.receiving} remark={remarkOf(data.received_day_msat, texts.received, texts.noneIn)}>
          {data.receiving_days === null ? texts.unknown : texts.days(data.receiving_days)}
        </Stat>
        <Stat name={texts.sending} remark={remarkOf(data.sent_day_msat, texts.sent, texts.noneOut)}>
          {data.sending_days === null ? texts.unknown : texts.days(data.sending_days)}
        </Stat>
      </div>
      <p class="small secondary">{texts.covers}</p>
    </div>
  );
}

/** Returns the rate in words. */
function remarkOf(dayMsat: number | null, rate: (sats: string) => string, none: string): string {
  if (dayMsat === null) return texts.tooLittle;
  return dayMsat === 0 ? none : rate(wholeSats(dayMsat));
}
