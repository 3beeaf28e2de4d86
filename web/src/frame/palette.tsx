import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { SearchResult } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { Sats } from '../parts/amount.tsx';
import { formatTime } from '../parts/format-time.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Listbox, optionId } from '../parts/listbox.tsx';
import { useWalletSearch, type WalletName, type WalletSearch } from '../parts/wallet-names.ts';
import { found as names } from '../texts/en-found.ts';
import { t } from '../texts/texts.ts';
import { OBJECT_ICONS, pathOf, useFoundObjects } from './found-objects.ts';
import { useNavigation } from './navigation.tsx';
import './palette.css';

interface Command {
  readonly name: string;
  /** What kind of object it opens, or the amount and the date of a transaction. */
  readonly remark?: ComponentChildren;
  readonly href: string;
  readonly icon: IconName;
}

interface WalletCommand {
  /** Returns the name of the command for the label of a wallet. */
  readonly name: (wallet: string) => string;
  readonly end: string;
  readonly icon: IconName;
}

const WALLET_ACTIONS: readonly WalletCommand[] = [
  { name: t.palette.receive, end: '/receive', icon: 'in' },
  { name: t.palette.send, end: '/send', icon: 'out' },
  { name: t.palette.transfer, end: '/transfer', icon: 'transfer' },
];
const OPEN_WALLET: WalletCommand = { name: (wallet) => wallet, end: '', icon: 'wallet' };

const MAX_RESULTS = 12;
/** Wallets leave room for what else was found. */
const MAX_WALLETS = 6;

/** Finds screens and actions by name, and what the account has by ids, hashes, addresses and words. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { found, isComplete } = useCommands(text.trim());

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
          aria-activedescendant={found[selected] && optionId(id, selected)}
          placeholder={t.palette.placeholder}
          autocomplete="off"
          value={text}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSelected(0);
          }}
        />
        <Listbox id={id} label={t.palette.title} options={found} keyOf={(command) => command.href} active={selected} onChoose={run}>
          {(command) => (
            <>
              <Icon name={command.icon} />
              <bdi class="clip">{command.name}</bdi>
              {command.remark !== undefined && <span class="push small secondary palette-remark">{command.remark}</span>}
            </>
          )}
        </Listbox>
        {found.length === 0 && (
          <p class="secondary" role="status">
            {isComplete ? t.palette.nothing : t.common.searching}
          </p>
        )}
      </div>
    </dialog>
  );
}

/** Returns the commands that a text selects: of screens by their name, of wallets as the server finds them. */
function useCommands(typed: string): { readonly found: readonly Command[]; readonly isComplete: boolean } {
  const text = typed.toLowerCase();
  const navigation = useNavigation();
  const screens = navigation.map(({ label, path, icon }) => ({ name: label, href: path, icon }));
  const ofOperator = navigation.some(({ path }) => path === '/operator') ? Object.entries(t.operator.tabs) : [];
  const pages = ofOperator.map(([end, name]) => ({ name, href: `/operator${end}`, icon: 'server' as const })).slice(1);
  const create = [
    { name: t.wallets.newWallet, href: '/wallets/new', icon: 'plus' as const },
    { name: t.palette.connectApp, href: '/connections/new', icon: 'plug' as const },
  ];
  const named = [...screens, ...pages, ...create].filter(({ name }) => name.toLowerCase().includes(text));

  const action = WALLET_ACTIONS.find((one) => text !== '' && (text.startsWith(prefixOf(one)) || prefixOf(one).startsWith(text)));
  const byName = useWalletSearch(typed);
  const forAction = useWalletSearch(action ? typed.slice(prefixOf(action).length) : '');
  const objects = useFoundObjects(typed);
  const { account } = useSession();
  const wallets = currentOf(byName);
  const commands = new Map(
    [
      ...named,
      ...wallets.slice(0, MAX_WALLETS).map((wallet) => ofWallet(OPEN_WALLET, wallet)),
      ...objects.objects.filter(({ type, account_id: owner }) => type !== 'wallet' || owner !== account.id).map(ofObject(account.id)),
      ...WALLET_ACTIONS.flatMap((command) => wallets.map((wallet) => ofWallet(command, wallet))),
      ...(action ? currentOf(forAction).map((wallet) => ofWallet(action, wallet)) : []),
    ].map((command) => [command.href, command]),
  );
  const isComplete = byName.isCurrent && forAction.isCurrent && objects.isCurrent;
  return { found: [...commands.values()].slice(0, MAX_RESULTS), isComplete };
}

/** Returns the command that opens a found object. */
function ofObject(accountId: string) {
  return (one: SearchResult): Command => ({
    name: one.label || (one.num_satoshis === null ? one.id : (names.types[one.type] ?? one.id)),
    remark: one.num_satoshis === null ? names.types[one.type] : <Moved sats={one.num_satoshis} result={one} />,
    href: pathOf(one, accountId),
    icon: OBJECT_ICONS[one.type] ?? 'search',
  });
}

/** The amount, the status if nothing was booked, and the date of a transaction. */
function Moved({ sats, result: { status, created_at } }: { readonly sats: number; readonly result: SearchResult }) {
  const unbooked = status === null || status === 'settled' ? '' : `${t.wallet.filterStatuses[status]} · `;
  return (
    <>
      <Sats sats={sats} sign unit /> · {unbooked}
      {formatTime(created_at * 1000, Date.now())}
    </>
  );
}

function currentOf({ wallets = [], isCurrent }: WalletSearch): readonly WalletName[] {
  return isCurrent ? wallets : [];
}

function ofWallet({ name, end, icon }: WalletCommand, { id, label }: WalletName): Command {
  return { name: name(label), href: `/wallets/${id}${end}`, icon };
}

/** What a person types before the label of the wallet. */
function prefixOf({ name }: WalletCommand): string {
  return name('').toLowerCase();
}
