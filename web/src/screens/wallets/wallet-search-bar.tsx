import { useEffect, useRef, useState } from 'preact/hooks';
import { Segments } from '../../parts/segments.tsx';
import { TYPING_MS } from '../../parts/use-typed.ts';
import { t } from '../../texts/texts.ts';

export interface WalletSearchBarProps {
  readonly label: string;
  readonly status: 'active' | 'inactive' | undefined;
  readonly onChange: (changes: Record<string, string | undefined>) => void;
}

export function WalletSearchBar({ label, status, onChange }: WalletSearchBarProps) {
  const [text, setText] = useState(label);
  const latest = useRef(onChange);
  latest.current = onChange;
  /** The label that this field has set in the address; another one comes from Back or from a cleared search. */
  const sent = useRef(label);
  useEffect(() => {
    if (label === sent.current) return;
    sent.current = label;
    setText(label);
  }, [label]);
  useEffect(() => {
    if (text.trim() === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text.trim();
      latest.current({ label: text.trim() });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="wallets-search">
      <input
        class="input"
        type="search"
        aria-keyshortcuts="/"
        aria-label={t.wallets.search}
        placeholder={t.wallets.search}
        autocomplete="off"
        maxLength={255}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Segments
        label={t.wallet.status}
        value={status ?? 'all'}
        options={[
          { value: 'all', label: t.wallets.filter.all },
          { value: 'active', label: t.wallets.filter.active },
          { value: 'inactive', label: t.wallets.filter.inactive },
        ]}
        onChange={(value) => onChange({ status: value === 'all' ? undefined : value })}
      />
    </div>
  );
}
