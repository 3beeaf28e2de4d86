import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useWalletNames } from '../parts/wallet-select.tsx';
import { t } from '../texts/texts.ts';
import { useNavigation } from './navigation.tsx';
import './palette.css';

interface Command {
  readonly name: string;
  readonly href: string;
  readonly icon: IconName;
}

const MAX_RESULTS = 12;

/** Finds screens, wallets and actions by name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const found = useCommands()
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, MAX_RESULTS);

  useEffect(() => dialog.current?.showModal(), []);

  function run(command: Command | undefined) {
    if (!command) return;
    onClose();
    navigate(command.href);
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setSelected((selected + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') run(found[selected]);
    else return;
    event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog.
    <dialog
      class="palette"
      ref={dialog}
      aria-label={t.palette.title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="palette-inside">
        <input
          class="input"
          role="combobox"
          aria-label={t.palette.title}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found[selected] && `${id}-${selected}`}
          placeholder={t.palette.placeholder}
          autocomplete="off"
          value={text}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSelected(0);
          }}
        />
        <div role="listbox" id={id} aria-label={t.palette.title}>
          {found.map((command, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
            <div
              key={command.href}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              onClick={() => run(command)}
            >
              <Icon name={command.icon} />
              <bdi>{command.name}</bdi>
            </div>
          ))}
          {found.length === 0 && <p class="secondary">{t.palette.nothing}</p>}
        </div>
      </div>
    </dialog>
  );
}

function useCommands(): readonly Command[] {
  const navigation = useNavigation();
  const screens = navigation.map(({ label, path, icon }) => ({ name: label, href: path, icon }));
  const ofOperator = navigation.some(({ path }) => path === '/operator') ? Object.entries(t.operator.tabs) : [];
  const pages = ofOperator.map(([end, name]) => ({ name, href: `/operator${end}`, icon: 'server' as const })).slice(1);
  const actions = [{ name: t.wallets.newWallet, href: '/wallets/new', icon: 'plus' as const }];
  const perWallet = useWalletNames().flatMap(({ value: id, label: name }) => {
    const place = `/wallets/${id}`;
    return [
      { name, href: place, icon: 'wallet' as const },
      { name: t.palette.receive(name), href: `${place}/receive`, icon: 'in' as const },
      { name: t.palette.send(name), href: `${place}/send`, icon: 'out' as const },
      { name: t.palette.transfer(name), href: `${place}/transfer`, icon: 'transfer' as const },
    ];
  });
  return [...screens, ...pages, ...actions, ...perWallet];
}
