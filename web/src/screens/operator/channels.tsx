import { useState } from 'preact/hooks';
import { api, type NodeChannels, type NodeFigures } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { channels as texts } from '../../texts/en-channels.ts';
import { ChannelSums } from './channel-sums.tsx';
import { ChannelTable } from './channel-table.tsx';
import { NodeBadge } from './node-badge.tsx';
import { OperatorTabs } from './operator-tabs.tsx';
import { channelCount, useChannels } from './use-channels.ts';
import './channels.css';

const REFRESH_MS = 10_000;
const PAGE = 100;

/** `/operator/channels`: over which channels the nodes can send and receive, and how much. */
export function ChannelsScreen() {
  const overview = useResource('operator overview', (signal) => api.operator.getOverview({}, { signal }), { everyMs: REFRESH_MS });
  return (
    <>
      <PageHead title={texts.title} />
      <OperatorTabs />
      <Loaded resource={overview}>{({ nodes }) => nodes.map((node) => <NodeChannelsCard key={node.id} node={node} />)}</Loaded>
    </>
  );
}

function NodeChannelsCard({ node }: { node: NodeFigures }) {
  const [count, setCount] = useState(PAGE);
  const list = useChannels(node.id, count);
  const isAway = node.status === 'unavailable';
  const rest = list.data ? channelCount(list.data) - list.data.channels.length : 0;
  return (
    <Card
      title={<bdi>{node.alias || node.id}</bdi>}
      actions={<NodeBadge node={node} />}
      footer={<span class="small secondary">{texts.estimate}</span>}
    >
      <Loaded resource={list}>
        {(data) => (
          <>
            <Summary list={data} isAway={isAway} />
            <Channels list={data} node={node} />
          </>
        )}
      </Loaded>
      {rest > 0 && (
        <div class="more-channels">
          <Button size="small" disabled={list.isLoading} onClick={() => setCount(count + PAGE)}>
            {texts.more(Math.min(rest, PAGE))}
          </Button>
        </div>
      )}
    </Card>
  );
}

/** The sums, and what they mean for the wallets of the node. */
function Summary({ list, isAway }: { list: NodeChannels; isAway: boolean }) {
  const { num_channels: counts, spendable_msat: send, receivable_msat: receive } = list;
  if (counts === null || channelCount(list) === 0) return null;
  return (
    <div class="channel-summary stack">
      <ChannelSums list={list} isIdle={isAway || counts.active === 0} />
      <span class="small secondary">{texts.counts(counts)}</span>
      {counts.active === 0 && counts.inactive > 0 && <Note tone="warning">{texts.away}</Note>}
      {counts.active > 0 && send === 0 && <Note tone="warning">{texts.cannotSend}</Note>}
      {counts.active > 0 && receive === 0 && <Note tone="warning">{texts.cannotReceive}</Note>}
    </div>
  );
}

function Channels({ list, node }: { list: NodeChannels; node: NodeFigures }) {
  if (list.status === 'not_permitted')
    return (
      <Empty icon="lock" title={texts.notPermittedTitle}>
        {texts.notPermitted} {list.status_reason !== null && <Foreign text={list.status_reason} />}
      </Empty>
    );
  if (list.status === 'unsupported')
    return (
      <Empty icon="server" title={texts.unsupportedTitle}>
        {texts.unsupported}
      </Empty>
    );
  if (channelCount(list) === 0) return <NoChannels software={node.software ?? ''} />;
  return <ChannelTable channels={list.channels} />;
}

function NoChannels({ software }: { software: string }) {
  const known = texts.emptyCommands.filter(([name]) => software.startsWith(name));
  const commands = known.length > 0 ? known : texts.emptyCommands;
  return (
    <Empty icon="lightning" title={texts.emptyTitle}>
      {texts.empty}
      {commands.map(([name, command]) => (
        <code key={name} class="mono channel-command">
          {command}
        </code>
      ))}
    </Empty>
  );
}
