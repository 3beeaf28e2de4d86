import { api, type Playground } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { NodeStatus } from '../../parts/node-status.tsx';
import { t } from '../../texts/texts.ts';

type PlaygroundNode = Playground['nodes'][number];

const OUTSIDE = ['alice', 'carol'];

/** The nodes in the order in which a payment passes them, with the channels between them. */
export function Network({ nodes }: Pick<Playground, 'nodes'>) {
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
        <>
          <Channel />
          <NodeBox key={node.pubkey} node={node} />
        </>
      ))}
    </div>
  );
}

/** A line between two nodes: to the right, on a phone downwards. */
function Channel() {
  return (
    <svg class="channel" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={t.playground.channel}>
      <path class="across desktop-only" d="M0 50H100" />
      <path class="down phone-only" d="M50 0V100" />
    </svg>
  );
}

function NodeBox({ node: { name, pubkey } }: { node: PlaygroundNode }) {
  const own = useResource('nodes', (signal) => api.listNodes({}, { signal }));
  const ours = own.data?.find((node) => node.default_pubkey === pubkey);
  return (
    <div class={ours ? 'node ours' : 'node'}>
      <div class="row wrap">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        {ours && <NodeStatus status={ours.status} />}
      </div>
      <span class="small secondary">{t.playground.places[name] ?? (ours ? t.playground.ours : t.playground.otherService)}</span>
      <span class="tiny faint mono">{pubkey}</span>
    </div>
  );
}
