import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { errorText } from '../api/action.ts';
import { t } from '../texts/texts.ts';
import { Field } from './field.tsx';
import { Listbox, optionId } from './listbox.tsx';
import { useWalletLabels, useWalletSearch, type WalletName, type WalletSearch } from './wallet-names.ts';
import './wallet-select.css';

export interface WalletSelectProps {
  readonly label: string;
  /** The id of a wallet; empty for `none`. */
  readonly value: string;
  readonly onValue: (id: string) => void;
  /** The name of the choice without a wallet. Without it, a wallet must be chosen. */
  readonly none?: string;
  readonly hint?: string;
}

/** A choice of one of the account's wallets, by label: the editable combobox of WAI-ARIA. The server searches as the person types. */
export function WalletSelect({ label, value, onValue, none, hint }: WalletSelectProps) {
  const [isOpen, setIsOpen] = useState(false);
  /** What the person has typed since the list is open. */
  const [typed, setTyped] = useState<string>();
  /** The wallet of the selected option. Not its position: the list may change before the person presses Enter. */
  const [activeId, setActiveId] = useState<string>();
  const [picked, setPicked] = useState<WalletName>();
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();

  const labels = useWalletLabels([value]);
  const chosen = value === '' ? (none ?? '') : (labels.get(value) ?? (picked?.id === value ? picked.label : value));
  const search = useWalletSearch(isOpen ? (typed ?? '') : '');
  const withNone = none !== undefined && (typed ?? '').trim() === '' ? [{ id: '', label: none }] : [];
  const options = isOpen ? [...withNone, ...(search.wallets ?? [])] : [];
  const active = options.findIndex(({ id }) => id === activeId);
  const selected = options[active];

  function open() {
    input.current?.select();
    setIsOpen(true);
  }

  function close() {
    setIsOpen(false);
    setTyped(undefined);
    setActiveId(undefined);
  }

  function choose(wallet: WalletName) {
    setPicked(wallet);
    onValue(wallet.id);
    close();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = event.key === 'ArrowDown' ? active + 1 : Math.max(active, 0) - 1;
      if (isOpen) setActiveId(options[(next + options.length) % Math.max(1, options.length)]?.id);
      else open();
    } else if (isOpen && event.key === 'Enter') {
      if (selected) choose(selected);
    } else if (isOpen && event.key === 'Escape') close();
    else return;
    // Otherwise Enter submits the form, and Escape closes the sheet.
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <div class="wallet-select">
          <input
            {...control}
            ref={input}
            class="input"
            type="text"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={options.length > 0}
            aria-controls={listId}
            aria-activedescendant={selected && optionId(listId, active)}
            placeholder={t.common.chooseWallet}
            autocomplete="off"
            spellcheck={false}
            maxLength={255}
            value={typed ?? chosen}
            onClick={open}
            onBlur={close}
            onKeyDown={onKeyDown}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setActiveId(undefined);
              setIsOpen(true);
            }}
          />
          {isOpen && <WalletList id={listId} options={options} active={active} status={statusOf(search)} onChoose={choose} />}
        </div>
      )}
    </Field>
  );
}

interface WalletListProps {
  readonly id: string;
  readonly options: readonly WalletName[];
  readonly active: number;
  readonly status: string;
  readonly onChoose: (wallet: WalletName) => void;
}

function WalletList({ id, options, active, status, onChoose }: WalletListProps) {
  useEffect(() => document.getElementById(optionId(id, active))?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click on the list leaves the focus in the field.
    <div class="wallet-list" onMouseDown={(event) => event.preventDefault()}>
      {options.length > 0 && (
        <Listbox id={id} label={t.common.walletsFound} options={options} keyOf={(wallet) => wallet.id} active={active} onChoose={onChoose}>
          {(wallet) => <bdi>{wallet.label}</bdi>}
        </Listbox>
      )}
      <p role="status" class="small secondary">
        {status}
      </p>
    </div>
  );
}

function statusOf({ wallets, isCurrent, error }: WalletSearch): string {
  if (error !== undefined) return errorText(error);
  if (!isCurrent) return t.common.searching;
  return wallets?.length === 0 ? t.common.noWalletFound : '';
}
