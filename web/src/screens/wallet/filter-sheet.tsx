import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { optionsOf } from '../../parts/options.ts';
import { parseSats, SatsField } from '../../parts/sats-field.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { filterTexts } from '../../texts/en-filters.ts';
import { t } from '../../texts/texts.ts';
import type { FilterBarProps } from './filter-bar.tsx';
import { STATUSES, TYPES } from './filters.ts';

const WalletSelect = lazy(() => import('../../parts/wallet-select.tsx').then((file) => file.WalletSelect));

interface FilterSheetProps extends FilterBarProps {
  readonly hasStatus?: boolean;
  readonly onClose: () => void;
}

/** The filters of a list of transactions. */
export function FilterSheet({ filters, wallet, onChange, hasStatus = false, onClose }: FilterSheetProps) {
  const [status, setStatus] = useState<string>(filters.status);
  const [type, setType] = useState<string>(filters.type ?? '');
  const [from, setFrom] = useState(filters.from ?? '');
  const [to, setTo] = useState(filters.to ?? '');
  const [label, setLabel] = useState(filters.label ?? '');
  const [walletId, setWalletId] = useState(wallet?.id ?? '');
  const [min, setMin] = useState(filters.min?.toString() ?? '');
  const [max, setMax] = useState(filters.max?.toString() ?? '');
  const isReversed = from !== '' && to !== '' && from > to;
  const amount = readRange(min, max);
  return (
    <Sheet title={t.wallet.filterTitle} onClose={onClose}>
      <Form
        onSubmit={() => {
          if (isReversed || amount.minError || amount.maxError) return;
          const chosen = status === 'all' ? undefined : status;
          onChange({
            type,
            from,
            to,
            label: label.trim(),
            min: amount.min,
            max: amount.max,
            status: chosen,
            ...(wallet && { wallet: walletId }),
          });
          onClose();
        }}
      >
        <TextField label={filterTexts.text} value={label} onValue={setLabel} maxLength={200} autocomplete="off" />
        <SatsField label={filterTexts.amountFrom} value={min} onValue={setMin} error={amount.minError} />
        <SatsField label={filterTexts.amountTo} value={max} onValue={setMax} error={amount.maxError} />
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

/** Returns the amounts of two fields as the address has them, and what is wrong with them. */
function readRange(minText: string, maxText: string) {
  const [min, max] = [parseSats(minText), parseSats(maxText)];
  const errorOf = (text: string, sats: number | undefined) => (text.trim() !== '' && sats === undefined ? t.keys.wholeSats : undefined);
  const isReversed = min !== undefined && max !== undefined && min > max;
  return {
    min: min?.toString(),
    max: max?.toString(),
    minError: errorOf(minText, min),
    maxError: errorOf(maxText, max) ?? (isReversed ? filterTexts.amountReversed : undefined),
  };
}
