import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { formatDate } from '../../parts/format-time.ts';
import { lazy } from '../../parts/lazy.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Segments } from '../../parts/segments.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';
import { type Filters, STATUSES, TYPES } from './filters.ts';

const WalletSelect = lazy(() => import('../../parts/wallet-select.tsx').then((file) => file.WalletSelect));

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
  const { status, type, from, to, label } = filters;
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
        icon="search"
        isOn={label !== undefined}
        onClick={open}
        shortcut="/"
        {...removal(t.wallet.labelOrHash, () => onChange({ label: undefined }))}
      >
        {label === undefined ? t.wallet.labelOrHash : <bdi class="clip filter-text">{label}</bdi>}
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

export function dayText(day: string): string {
  return formatDate(new Date(`${day}T00:00:00`).getTime());
}

interface FilterSheetProps extends FilterBarProps {
  readonly hasStatus?: boolean;
  readonly onClose: () => void;
}

function FilterSheet({ filters, wallet, onChange, hasStatus = false, onClose }: FilterSheetProps) {
  const [status, setStatus] = useState<string>(filters.status);
  const [type, setType] = useState<string>(filters.type ?? '');
  const [from, setFrom] = useState(filters.from ?? '');
  const [to, setTo] = useState(filters.to ?? '');
  const [label, setLabel] = useState(filters.label ?? '');
  const [walletId, setWalletId] = useState(wallet?.id ?? '');
  const isReversed = from !== '' && to !== '' && from > to;
  return (
    <Sheet title={t.wallet.filterTitle} onClose={onClose}>
      <Form
        onSubmit={() => {
          if (isReversed) return;
          const chosen = status === 'all' ? undefined : status;
          onChange({ type, from, to, label: label.trim(), status: chosen, ...(wallet && { wallet: walletId }) });
          onClose();
        }}
      >
        <TextField label={t.wallet.labelOrHash} value={label} onValue={setLabel} maxLength={200} autocomplete="off" />
        {wallet && <WalletSelect label={t.wallet.title} none={t.wallet.allWallets} value={walletId} onValue={setWalletId} />}
        {hasStatus && (
          <SelectField label={t.wallet.status} value={status} onValue={setStatus} options={optionsOf(t.wallet.filterStatuses, STATUSES)} />
        )}
        <SelectField
          label={t.wallet.type}
          value={type}
          onValue={setType}
          options={[{ value: '', label: t.wallet.allTypes }, ...optionsOf(t.wallet.types, TYPES)]}
        />
        <TextField type="date" label={t.wallet.from} value={from} onValue={setFrom} />
        <TextField type="date" label={t.wallet.to} value={to} onValue={setTo} error={isReversed ? t.wallet.periodReversed : undefined} />
        <Button type="submit" kind="primary" size="big">
          {t.wallet.applyFilters}
        </Button>
      </Form>
    </Sheet>
  );
}
