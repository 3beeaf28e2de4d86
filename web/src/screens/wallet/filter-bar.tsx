import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { formatSats } from '../../parts/format-amount.ts';
import { formatDate } from '../../parts/format-time.ts';
import { lazy } from '../../parts/lazy.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Segments } from '../../parts/segments.tsx';
import { filterTexts } from '../../texts/en-filters.ts';
import { t } from '../../texts/texts.ts';
import { type Filters, STATUSES } from './filters.ts';

const FilterSheet = lazy(() => import('./filter-sheet.tsx').then((file) => file.FilterSheet));

/** The wallet to whose transactions a list is limited. */
export interface WalletFilter {
  /** Empty for all wallets. */
  readonly id: string;
  readonly name: string;
}

export interface FilterBarProps {
  readonly filters: Filters;
  /** Only for a list of several wallets. */
  readonly wallet: WalletFilter | undefined;
  readonly onChange: (changes: Record<string, string | undefined>) => void;
}

export function FilterBar({ filters, wallet, onChange }: FilterBarProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { status, type, from, to, label, min, max } = filters;
  const open = () => setIsOpen(true);
  return (
    <div class="filters">
      <Segments
        label={t.wallet.status}
        value={status}
        options={optionsOf(t.wallet.filterStatuses, STATUSES)}
        onChange={(value) => onChange({ status: value === 'all' ? undefined : value })}
      />
      <Chip icon="filter" isOn={type !== undefined} onClick={open} {...removal(t.wallet.type, () => onChange({ type: undefined }))}>
        {type === undefined ? t.wallet.type : (t.wallet.types[type] ?? type)}
      </Chip>
      {wallet && (
        <Chip icon="wallet" isOn={wallet.id !== ''} onClick={open} {...removal(t.wallet.title, () => onChange({ wallet: undefined }))}>
          {wallet.id === '' ? t.wallet.title : <bdi class="clip filter-text">{wallet.name}</bdi>}
        </Chip>
      )}
      <Chip
        icon="calendar"
        isOn={from !== undefined || to !== undefined}
        onClick={open}
        {...removal(t.wallet.period, () => onChange({ from: undefined, to: undefined }))}
      >
        {periodText(from, to)}
      </Chip>
      <Chip
        icon="lightning"
        isOn={min !== undefined || max !== undefined}
        onClick={open}
        {...removal(t.payment.amount, () => onChange({ min: undefined, max: undefined }))}
      >
        {amountText(min, max)}
      </Chip>
      <Chip
        icon="search"
        isOn={label !== undefined}
        onClick={open}
        shortcut="/"
        {...removal(filterTexts.text, () => onChange({ label: undefined }))}
      >
        {label === undefined ? filterTexts.text : <bdi class="clip filter-text">{label}</bdi>}
      </Chip>
      {isOpen && <FilterSheet filters={filters} wallet={wallet} onChange={onChange} onClose={() => setIsOpen(false)} />}
    </div>
  );
}

/** On a phone: opens all filters. Those that are set are in the bar. */
export function FilterButton({ filters, wallet, onChange }: FilterBarProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" size="small" icon="filter" class="push" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {t.wallet.filter}
      </Button>
      {isOpen && <FilterSheet hasStatus filters={filters} wallet={wallet} onChange={onChange} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function removal(name: string, onRemove: () => void) {
  return { removeLabel: t.wallet.removeFilter(name), onRemove };
}

function periodText(from: string | undefined, to: string | undefined): string {
  if (from === undefined && to === undefined) return t.wallet.period;
  return `${from === undefined ? '…' : dayText(from)} – ${to === undefined ? '…' : dayText(to)}`;
}

function amountText(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return t.payment.amount;
  const [from, to] = [min, max].map((sats) => (sats === undefined ? '…' : formatSats(sats)));
  return `${from === to ? from : `${from} – ${to}`} ${t.common.sats}`;
}

export function dayText(day: string): string {
  return formatDate(new Date(`${day}T00:00:00`).getTime());
}
