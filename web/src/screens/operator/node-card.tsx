import { useState } from 'preact/hooks';
import { api, type NodeFigures } from '../../api/client.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Time } from '../../parts/time.tsx';
import { formatCount } from '../../texts/count.ts';
import { channels } from '../../texts/en-channels.ts';
import { service } from '../../texts/en-service.ts';
import { t } from '../../texts/texts.ts';
import { ChannelSums } from './channel-sums.tsx';
import { NodeBadge } from './node-badge.tsx';
import { ReasonSheet } from './reason-sheet.tsx';
import { useLiquidity } from './use-liquidity.ts';

const texts = t.operator.nodes;
const { health } = service;

/** A node: whether it works, what it has, and what of it is owed. */
export function NodeCard({ node, onChanged }: { node: NodeFigures; onChanged: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const { data: all } = useLiquidity();
  const liquidity = all?.nodes.find((one) => one.ln_node_id === node.id);
  // With one node, the sums of all are those of the node.
  const lasting = (days: number | null | undefined) =>
    typeof days === 'number' && (all?.num_nodes ?? 0) > 1 && service.liquidity.days(days);
  const sats = (msat: number | null) => (msat === null ? texts.unknown : `${formatMsat(Math.trunc(msat / 1000) * 1000)} ${t.common.sats}`);
  return (
    <Card title={<bdi>{node.alias || node.id}</bdi>} actions={<NodeBadge node={node} />} isPadded>
      <div class="stack">
        {node.status_reason !== null && (
          <p class="small">
            <Foreign text={node.status_reason} />
          </p>
        )}
        {liquidity && <ChannelSums list={liquidity} isIdle={liquidity.status !== 'known'} />}
        {liquidity?.status === 'unavailable' && liquidity.spendable_msat !== null && liquidity.at !== null && (
          <p class="small secondary">
            {service.liquidity.was} <Time at={liquidity.at} />
          </p>
        )}
        <Details
          entries={[
            [service.liquidity.receiving, lasting(liquidity?.receiving_days)],
            [service.liquidity.sending, lasting(liquidity?.sending_days)],
            [texts.assets, sats(node.assets_msat)],
            [texts.measured, node.assets_at !== null && <Time at={node.assets_at} isRelative />],
            [texts.held, sats(node.held_msat)],
            [texts.own, sats(node.own_msat)],
            [texts.difference, sats(node.difference_msat)],
            [
              health.answers,
              node.answer_ms !== null && node.median_answer_ms !== null && health.answer(node.answer_ms, node.median_answer_ms),
            ],
            [health.answered, node.status === 'unavailable' && node.answered_at !== null && <Time at={node.answered_at} />],
            [health.block, node.block_height !== null && <Block height={node.block_height} isSynced={node.is_synced !== false} />],
            [texts.channels, node.channels && texts.channelCount(node.channels.active, node.channels.inactive)],
            [texts.wallets, formatCount(node.num_wallets)],
            [texts.pending, formatCount(node.pending_payments)],
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

function Block({ height, isSynced }: { height: number; isSynced: boolean }) {
  return (
    <>
      <span class="number">{formatCount(height)}</span>{' '}
      {isSynced ? (
        health.synced
      ) : (
        <Badge tone="waiting" icon="alert">
          {health.behind}
        </Badge>
      )}
    </>
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
