import { Fragment } from 'preact';
import { useSearchParams } from 'wouter-preact';
import type { Channel } from '../../api/client.ts';
import { Badge, type BadgeProps } from '../../parts/badge.tsx';
import { BalanceBar, wholeSats } from '../../parts/balance-bar.tsx';
import { Details } from '../../parts/details.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { channels as texts } from '../../texts/en-channels.ts';

const LOOKS: Readonly<Record<Channel['status'], Pick<BadgeProps, 'tone' | 'icon'>>> = {
  active: { tone: 'done', icon: 'done' },
  inactive: { tone: 'waiting', icon: 'alert' },
  opening: { tone: 'plain', icon: 'clock' },
  closing: { tone: 'plain', icon: 'close' },
};

/** The channels of a node. `?channel=` opens the details of one. */
export function ChannelTable({ channels }: { channels: readonly Channel[] }) {
  const [parameters, setParameters] = useSearchParams();
  const openId = parameters.get('channel');
  const toggle = (id: string) => setParameters(id === openId ? {} : { channel: id }, { replace: true });
  return (
    <table class="table channels">
      <thead>
        <tr>
          <th>
            <span class="desktop-only">{texts.peer}</span>
            <span class="phone-only">
              <BalanceHeads />
            </span>
          </th>
          <th class="desktop-only channel-balance">
            <BalanceHeads />
          </th>
          <th class="end desktop-only">{texts.capacity}</th>
          <th class="desktop-only">{texts.status}</th>
        </tr>
      </thead>
      <tbody>
        {channels.map((channel) => (
          <Fragment key={channel.id}>
            <ChannelRow channel={channel} isOpen={channel.id === openId} onToggle={() => toggle(channel.id)} />
            {channel.id === openId && <ChannelDetails channel={channel} />}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** Stands above both ends of the bars. */
function BalanceHeads() {
  return (
    <span class="row">
      {texts.sendSats}
      <span class="push">{texts.receiveSats}</span>
    </span>
  );
}

interface ChannelRowProps {
  readonly channel: Channel;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function ChannelRow({ channel, isOpen, onToggle }: ChannelRowProps) {
  const { id, peer_alias: alias, peer_pubkey: pubkey, capacity_msat: capacity, is_private: isPrivate } = channel;
  const size = capacity === null ? texts.unknown : wholeSats(capacity);
  return (
    <tr class={isOpen ? 'clickable open' : 'clickable'}>
      <td>
        <div class="row">
          <button type="button" class="name shrink" aria-expanded={isOpen} aria-controls={`channel-${id}`} onClick={onToggle}>
            {alias ? <bdi>{alias}</bdi> : <span class="mono">{shortKey(pubkey)}</span>}
          </button>
          <span class="phone-only push">
            <ChannelStatus channel={channel} />
          </span>
        </div>
        <span class="sub">
          {alias && <span class="mono desktop-only">{shortKey(pubkey)}</span>}
          <span class="phone-only">{texts.capacityOf(size)}</span>
          {isPrivate && <span>{texts.private}</span>}
        </span>
        <div class="phone-only">
          <Balance channel={channel} />
        </div>
      </td>
      <td class="desktop-only channel-balance">
        <Balance channel={channel} />
      </td>
      <td class="end desktop-only number">{size}</td>
      <td class="desktop-only">
        <ChannelStatus channel={channel} />
      </td>
    </tr>
  );
}

function Balance({ channel }: { channel: Channel }) {
  const { spendable_msat: send, receivable_msat: receive, capacity_msat: capacity, status } = channel;
  if (status === 'opening' || status === 'closing') return null;
  return (
    <>
      <BalanceBar
        sendMsat={send}
        receiveMsat={receive}
        capacityMsat={capacity ?? undefined}
        label={texts.bar}
        isIdle={status !== 'active'}
      />
      <div class="balance-ends">
        <span class="number">{wholeSats(send)}</span>
        <span class="number push">{wholeSats(receive)}</span>
      </div>
    </>
  );
}

function ChannelStatus({ channel: { status } }: { channel: Channel }) {
  return <Badge {...(LOOKS[status] ?? { tone: 'plain' })}>{texts.statuses[status] ?? status}</Badge>;
}

function ChannelDetails({ channel }: { channel: Channel }) {
  return (
    <tr class="channel-details" id={`channel-${channel.id}`}>
      <td colSpan={4}>
        <Details
          entries={[
            [texts.pubkey, <Identifier key="pubkey" value={channel.peer_pubkey} label={texts.pubkey} />],
            [texts.id, <Identifier key="id" value={channel.id} label={texts.id} />],
            [texts.network, channel.is_private ? texts.hidden : texts.announced],
          ]}
        />
      </td>
    </tr>
  );
}

/** The ends of a public key; the details have all of it. */
function shortKey(pubkey: string): string {
  return `${pubkey.slice(0, 10)}…${pubkey.slice(-4)}`;
}
