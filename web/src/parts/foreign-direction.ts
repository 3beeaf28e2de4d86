import { options } from 'preact';

/** Characters that turn the direction of the text behind them: embeddings, overrides and isolates (Unicode UAX #9). */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shows texts of other people, which are all in `bdi`, without the characters that could make them read as something else. */
export function neutralizeDirection(): void {
  const previous = options.vnode;
  options.vnode = (vnode) => {
    if (vnode.type === 'bdi') {
      const { props } = vnode as { props: { children?: unknown } };
      props.children = Array.isArray(props.children) ? props.children.map(withoutTurning) : withoutTurning(props.children);
    }
    previous?.(vnode);
  };
}

function withoutTurning(child: unknown): unknown {
  return typeof child === 'string' ? child.replaceAll(TURNING, '') : child;
}
