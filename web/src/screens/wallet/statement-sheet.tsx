import { useState } from 'preact/hooks';
import { SERVICE_URL } from '../../base-path.ts';
import { LinkButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';
import { nextDay, startOf, textOfDay } from './filters.ts';
import type { WalletSheetProps } from './sheets.tsx';

/** Saves the statement of a period as CSV. Without dates it has all settled transactions. */
export function StatementSheet({ walletId, onClose }: WalletSheetProps) {
  const today = new Date();
  const [from, setFrom] = useState(textOfDay(new Date(today.getFullYear(), today.getMonth(), 1)));
  const [to, setTo] = useState(textOfDay(today));
  const isReversed = from !== '' && to !== '' && from > to;
  return (
    <Sheet title={t.wallet.statement} onClose={onClose}>
      <p class="secondary">{t.wallet.statementText}</p>
      <div class="columns">
        <TextField type="date" label={t.wallet.from} value={from} onValue={setFrom} />
        <TextField type="date" label={t.wallet.to} value={to} onValue={setTo} error={isReversed ? t.wallet.periodReversed : undefined} />
      </div>
      <LinkButton kind="primary" size="big" icon="download" href={addressOf(walletId, from, to)} download={nameOf(walletId, from, to)}>
        {t.wallet.saveStatement}
      </LinkButton>
    </Sheet>
  );
}

function addressOf(walletId: string, from: string, to: string): string {
  const query = new URLSearchParams();
  if (from !== '') query.set('from', String(startOf(from)));
  if (to !== '') query.set('to', String(startOf(nextDay(to)) - 1));
  return `${SERVICE_URL}/v1/wallet/${walletId}/statement?${query}`;
}

function nameOf(walletId: string, from: string, to: string): string {
  return [walletId, from, to].filter(Boolean).join('_').concat('.csv');
}
