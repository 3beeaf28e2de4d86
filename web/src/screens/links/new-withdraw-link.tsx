import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type NewWithdrawLink } from '../../api/client.ts';
import { createIdempotent } from '../../api/idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { MoreFields } from '../../parts/more-fields.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { parseSats, SatsField } from '../../parts/sats-field.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { print } from '../../texts/en-print.ts';
import { t } from '../../texts/texts.ts';

export interface NewWithdrawLinkSheetProps {
  readonly onCreated: (links: readonly NewWithdrawLink[]) => void;
  readonly onClose: () => void;
}

const EMPTY = { walletId: '', amount: '', uses: '1', copies: '1', label: '', memo: '', expiry: '', daily: '' };

/** The service has a limit per second, and a page of paper has six. */
const MAX_COPIES = 60;

/** Creates a withdraw link, or several vouchers. A second click repeats the requests and creates no further link. */
export function NewWithdrawLinkSheet({ onCreated, onClose }: NewWithdrawLinkSheetProps) {
  const [parameters] = useFilters();
  const wallet = parameters.get('wallet') ?? '';
  const [draft, setDraft] = useState({ ...EMPTY, walletId: wallet });
  const [requests] = useState(() => Array.from({ length: MAX_COPIES }, () => createIdempotent()));
  const copies = Number(draft.copies);
  const { run, isBusy, error } = useAction(async () => {
    const links: NewWithdrawLink[] = [];
    for (const request of requests.slice(0, copies)) links.push(await request((options) => create(draft, options)));
    onCreated(links);
    onClose();
  });
  const set = (name: keyof typeof EMPTY) => (value: string) => setDraft({ ...draft, [name]: value });
  const amountError = draft.amount !== '' && parseSats(draft.amount) === undefined ? t.keys.wholeSats : undefined;
  const dailyError = draft.daily !== '' && parseSats(draft.daily) === undefined ? t.keys.wholeSats : undefined;
  const copiesError = Number.isInteger(copies) && copies >= 1 && copies <= MAX_COPIES ? undefined : print.copiesError;
  const canCreate = draft.walletId !== '' && parseSats(draft.amount) !== undefined && dailyError === undefined && copiesError === undefined;

  // From the page of a wallet, the amount is the first thing to enter.
  useEffect(() => {
    if (wallet !== '') document.querySelector<HTMLElement>('dialog[open] .input.amount')?.focus();
  }, []);

  return (
    <Sheet title={wallet === '' ? t.links.newWithdrawLink : t.wallet.voucher} onClose={onClose}>
      <Form onSubmit={() => canCreate && run()}>
        <p class="small secondary">{t.links.withdrawHint}</p>
        <WalletSelect label={t.links.from} value={draft.walletId} onValue={set('walletId')} />
        <SatsField label={t.links.eachClaim} error={amountError} required value={draft.amount} onValue={set('amount')} />
        <TextField label={t.links.memo} hint={t.links.memoHint} maxLength={600} value={draft.memo} onValue={set('memo')} />
        <MoreFields title={print.more} hasError={(dailyError ?? copiesError) !== undefined}>
          <div class="stack">
            <div class="columns two">
              <TextField
                label={t.links.uses}
                type="number"
                min={1}
                max={1_000_000}
                hint={t.links.usesHint}
                value={copies > 1 ? '1' : draft.uses}
                disabled={copies > 1}
                onValue={set('uses')}
              />
              <SelectField label={t.links.expiry} value={draft.expiry} onValue={set('expiry')} options={optionsOf(t.keys.expiries)} />
            </div>
            <TextField
              label={print.copies}
              type="number"
              min={1}
              max={MAX_COPIES}
              hint={print.copiesHint}
              error={copiesError}
              value={draft.copies}
              onValue={set('copies')}
            />
            <TextField label={t.links.label} hint={t.links.labelHint} maxLength={200} value={draft.label} onValue={set('label')} />
            <TextField
              label={t.links.daily}
              hint={t.links.dailyHint}
              error={dailyError}
              inputMode="numeric"
              value={draft.daily}
              onValue={set('daily')}
            />
          </div>
        </MoreFields>
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy || !canCreate}>
          {t.links.create}
        </Button>
      </Form>
    </Sheet>
  );
}

/** Without a number of uses, the link is permanent. */
function create(draft: typeof EMPTY, options: { idempotencyKey: string }): Promise<NewWithdrawLink> {
  const daily = parseSats(draft.daily);
  const common = {
    num_satoshis: parseSats(draft.amount) ?? 0,
    ...(draft.memo !== '' && { memo: draft.memo }),
    ...(draft.label !== '' && { user_label: draft.label }),
    ...(daily !== undefined && { daily_limit_msat: daily * 1000 }),
  };
  const uses = draft.copies === '1' ? draft.uses : '1';
  if (uses === '') return api.withdrawLinks.createPermanent(draft.walletId, common, options);
  const expiry = draft.expiry.startsWith('d') && { expiry: Number(draft.expiry.slice(1)) * 86_400 };
  return api.withdrawLinks.create(draft.walletId, { ...common, uses: Number(uses), ...expiry }, options);
}
