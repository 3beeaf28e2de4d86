import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import './note.css';

const ICONS = { info: 'info', warning: 'alert', error: 'stop', good: 'done' } satisfies Record<string, IconName>;

export interface NoteProps {
  readonly tone?: keyof typeof ICONS;
  /** At the end of the note. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A remark about a part of the page. It never blocks the page. An error is announced. A text may quote one of another service. */
export function Note({ tone = 'info', action, children }: NoteProps) {
  return (
    <div class={`note ${tone}`} role={tone === 'error' ? 'alert' : undefined}>
      <Icon name={ICONS[tone]} />
      <div class="shrink">{typeof children === 'string' ? <bdi>{children}</bdi> : children}</div>
      {action !== undefined && <div class="push">{action}</div>}
    </div>
  );
}
