import type { NodeFigures } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { t } from '../../texts/texts.ts';

const texts = t.operator.nodes;

/** Whether a node works, in words. */
export function NodeBadge({ node }: { node: NodeFigures }) {
  if (node.status === 'unavailable')
    return (
      <Badge tone="failed" icon="alert">
        {texts.unreachable}
      </Badge>
    );
  if (node.status === 'cannot_send')
    return (
      <Badge tone="waiting" icon="alert">
        {texts.cannotSend}
      </Badge>
    );
  if (node.draining)
    return (
      <Badge tone="waiting" icon="clock">
        {texts.draining}
      </Badge>
    );
  return (
    <Badge tone="done" icon="done">
      {texts.ready}
    </Badge>
  );
}
