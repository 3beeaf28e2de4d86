import { useState } from 'preact/hooks';
import { api, type NodeFigures } from '../../api/client.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Time } from '../../parts/time.tsx';
import { channels } from '../../texts/en-channels.ts';
import { t } from '../../texts/texts.ts';
import { ChannelSums } from './channel-sums.tsx';
import { NodeBadge } from './node-badge.tsx';
import { ReasonSheet } from './reason-sheet.tsx';
import { useChannels } from './use-channels.ts';

const texts = t.operator.nodes;

/** A node: whether it works, what it has, and what of it is owed. */
export function NodeCard({ node, onChanged }: { node: NodeFigures; onChanged: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const { data: list } = useChannels(node.id, 1);
  const sats = (msat: number | null) => (msat === null ? texts.unknown : `${formatMsat(Math.trunc(msat / 1000) * 1000)} ${t.common.sats}`);
  return (
    <Card title={<bdi>{node.alias || node.id}</bdi>} actions={<NodeBadge node={node} />} isPadded>
      <div class="stack">
        {node.status_reason !== null && (
          <p class="small">
            <Foreign text={node.status_reason} />
          </p>
        )}
        {list && <ChannelSums list={list} isIdle={node.status === 'unavailable'} />}
        <Details
          entries={[
            [texts.assets, sats(node.assets_msat)],
            [texts.measured, node.assets_at !== null && <Time at={node.assets_at} isRelative />],
            [texts.held, sats(node.held_msat)],
            [texts.own, sats(node.own_msat)],
            [texts.difference, sats(node.difference_msat)],
            [texts.channels, node.channels && texts.channelCount(node.channels.active, node.channels.inactive)],
            [texts.wallets, String(node.num_wallets)],
            [texts.pending, String(node.pending_payments)],
            [texts.software, [node.software, node.network].filter(Boolean).join(', ')],
          ]}
        />
        <div class="row wrap">
          <LinkButton size="small" href="/operator/channels">
            {channels.showChannels}
          </LinkButton>
          <Button size="small" onClick={() => setIsOpen(true)}>
            {node.draining ? texts.activate : texts.drain}
          </Button>
        </div>
      </div>
      {isOpen && <DrainSheet node={node} onChanged={onChanged} onClose={() => setIsOpen(false)} />}
    </Card>
  );
}

function DrainSheet({ node, onChanged, onClose }: { node: NodeFigures; onChanged: () => void; onClose: () => void }) {
  const change = node.draining ? api.operator.activateNode : api.operator.drainNode;
  return (
    <ReasonSheet
      title={node.draining ? texts.activate : texts.drain}
      text={node.draining ? texts.activateText : texts.drainText}
      action={node.draining ? texts.activate : texts.drain}
      run={(reason, options) => change(node.id, { reason }, options)}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
