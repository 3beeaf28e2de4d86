import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import './chip.css';

export interface ChipProps {
  readonly icon?: IconName;
  /** Whether a filter is set. */
  readonly isOn?: boolean;
  readonly onClick: () => void;
  /** The key that opens the filter. */
  readonly shortcut?: string;
  /** Adds a button that removes the filter; its name. */
  readonly removeLabel?: string;
  readonly onRemove?: () => void;
  readonly children: ComponentChildren;
}

/** A filter of a list. */
export function Chip({ icon, isOn = false, onClick, shortcut, removeLabel, onRemove, children }: ChipProps) {
  return (
    <span class={isOn ? 'chip on' : 'chip'}>
      <button type="button" aria-keyshortcuts={shortcut} onClick={onClick}>
        {icon && <Icon name={icon} size={15} />}
        {children}
      </button>
      {isOn && onRemove && (
        <button type="button" aria-label={removeLabel} onClick={onRemove}>
          <Icon name="close" size={15} />
        </button>
      )}
    </span>
  );
}
