import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Icon, type IconName } from './icon.tsx';
import './button.css';
import './menu.css';

export interface MenuEntry {
  readonly label: string;
  readonly icon: IconName;
  readonly href: string;
  /** Saves the response of the address as a file of this name instead of opening a screen. */
  readonly download?: string;
}

/** A button that opens a list of links. */
export function Menu({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];

  useEffect(() => {
    if (!isOpen) return undefined;
    items()[0]?.focus();
    const close = (event: Event) => root.current?.contains(event.target as Node) || setIsOpen(false);
    addEventListener('pointerdown', close);
    return () => removeEventListener('pointerdown', close);
  }, [isOpen]);

  function onKeyDown(event: KeyboardEvent) {
    const all = items();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isOpen && step !== undefined) {
      const next = all.indexOf(document.activeElement as HTMLElement) + step;
      all[(next + all.length) % all.length]?.focus();
    } else if (isOpen && (event.key === 'Escape' || event.key === 'Tab')) {
      setIsOpen(false);
      root.current?.querySelector('button')?.focus();
      if (event.key === 'Tab') return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the menu inside.
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="button icon-only"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" id={id} aria-label={label}>
          {entries.map((entry) => (
            <MenuLink key={entry.label} entry={entry} onClick={() => setIsOpen(false)} />
          ))}
        </div>
      )}
    </div>
  );
}

function MenuLink({ entry: { label, icon, href, download }, onClick }: { entry: MenuEntry; onClick: () => void }) {
  const inside = (
    <>
      <Icon name={icon} />
      {label}
    </>
  );
  if (download === undefined)
    return (
      <Link role="menuitem" href={href} onClick={onClick}>
        {inside}
      </Link>
    );
  return (
    <a role="menuitem" href={href} download={download} onClick={onClick}>
      {inside}
    </a>
  );
}
