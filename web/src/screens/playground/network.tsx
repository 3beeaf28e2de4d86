import { Fragment } from 'preact';
import { api, type Playground } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { wholeSats } from '../../parts/balance-bar.tsx';
import { NodeStatus } from '../../parts/node-status.tsx';
import { playground } from '../../texts/en-playground.ts';

type PlaygroundNode = Playground['nodes'][number];
type PlaygroundChannel = Playground['channels'][number];

const OUTSIDE = ['alice', 'carol'];

/** The nodes in the order in which a payment passes them, with the channels between them and what each side of a channel can send. */
export function Network({ playground: { nodes, channels } }: { playground: Playground }) {
  const services = nodes.filter(({ name }) => !OUTSIDE.includes(name));
  const outside = OUTSIDE.flatMap((name) => nodes.find((node) => node.name === name) ?? []);
  return (
    <div class="network">
      <div class="stack">
        {services.map((node) => (
          <NodeBox key={node.pubkey} node={node} />
        ))}
      </div>
      {outside.map((node) => (
        <Fragment key={node.pubkey}>
          <div class="stack">
            {channels
              .filter(({ to }) => to === node.name)
              .map((channel) => (
                <ChannelLine key={channel.from} channel={channel} />
              ))}
          </div>
          <NodeBox node={node} />
        </Fragment>
      ))}
    </div>
  );
}

/** A line between two nodes: to the right, on a phone downwards. Solid as far as the first can send, hatched as far as the second can. */
function ChannelLine({ channel: { from, to, from_msat: fromMsat, to_msat: toMsat } }: { channel: PlaygroundChannel }) {
  const [there, back] = [wholeSats(fromMsat), wholeSats(toMsat)];
  const whole = Math.max(1, fromMsat + toMsat);
  return (
    <div class="channel">
      <span class="number">{there}</span>
      <div class="line" role="img" aria-label={playground.channel(from, to, there, back)}>
        <i class="send" style={{ flexGrow: fromMsat / whole }} />
        <i class="receive" style={{ flexGrow: toMsat / whole }} />
      </div>
      <span class="number push">{back}</span>
    </div>
  );
}

function NodeBox({ node: { name, pubkey } }: { node: PlaygroundNode }) {
  const own = useResource('nodes', (signal) => api.nodes.list({}, { signal }));
  const ours = own.data?.find((node) => node.default_pubkey === pubkey);
  return (
    <div class={ours ? 'node ours' : 'node'}>
      <div class="row wrap">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        {ours && <NodeStatus status={ours.status} />}
      </div>
      <span class="small secondary">{playground.places[name] ?? (ours ? playground.ours : playground.otherService)}</span>
      <span class="tiny faint mono">{pubkey}</span>
    </div>
  );
}
