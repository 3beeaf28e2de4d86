import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type Wallet } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { formatMsat, Msat } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Field, TextAreaField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Sum } from '../../parts/sum.tsx';
import { payouts as texts } from '../../texts/en-payouts.ts';
import { type ParsedCsv, parseCsv } from './parse-csv.ts';

export interface NewPayoutSheetProps {
  readonly walletId: string;
  readonly onOrdered: (id: string) => void;
  readonly onClose: () => void;
}

/** Orders a payout from CSV, after a preview. A second click repeats the request and orders no second one. */
export function NewPayoutSheet({ walletId, onOrdered, onClose }: NewPayoutSheetProps) {
  const [label, setLabel] = useState('');
  const [text, setText] = useState('');
  const parsed = text.trim() === '' ? undefined : parseCsv(text);
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    if (!parsed) return;
    const body = { ...(label !== '' && { user_label: label }), lines: [...parsed.lines] };
    const payout = await idempotent((options) => api.payouts.create(walletId, body, options));
    onOrdered(payout.id);
  });
  const { data: wallet } = useResource(walletId === '' ? undefined : `wallet ${walletId}`, (signal) =>
    api.wallets.get(walletId, {}, { signal }),
  );
  const isReady = walletId !== '' && parsed !== undefined && parsed.lines.length > 0 && parsed.problems.length === 0;
  return (
    <Sheet title={texts.order} onClose={onClose}>
      <Form onSubmit={() => isReady && run()}>
        <TextField label={texts.name} value={label} onValue={setLabel} maxLength={255} autocomplete="off" />
        <Field label={texts.file} hint={texts.fileHint}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="file"
              accept=".csv,text/csv"
              onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setText)}
            />
          )}
        </Field>
        <TextAreaField label={texts.text} value={text} onValue={setText} rows={6} spellcheck={false} />
        {parsed && <Preview parsed={parsed} />}
        {error !== undefined && <Note tone="error">{error}</Note>}
        {isReady && wallet && <Review parsed={parsed} wallet={wallet} />}
        <Note>{texts.warning}</Note>
        <div class="end">
          <Button type="submit" kind="primary" size="big" disabled={!isReady || isBusy}>
            {isReady && wallet && parsed.prices === 0
              ? texts.sendFrom(texts.count(parsed.lines.length), formatMsat(parsed.sumMsat), wallet.user_label || wallet.id)
              : texts.send(texts.count(parsed?.lines.length ?? 0))}
          </Button>
        </div>
      </Form>
    </Sheet>
  );
}

/** What the payments cost at most. Prices in a currency are converted when the order is placed. */
function Review({ parsed: { sumMsat, feeLimitMsat, prices }, wallet }: { parsed: ParsedCsv; wallet: Wallet }) {
  const restMsat = wallet.balance_msat - sumMsat - feeLimitMsat;
  return (
    <>
      <Sum
        rows={[
          { name: texts.fromWallet, value: <bdi>{wallet.user_label || wallet.id}</bdi> },
          { name: texts.total, value: <Msat msat={sumMsat} unit /> },
          { name: texts.feeLimit, value: <Msat msat={feeLimitMsat} unit /> },
          ...(prices === 0 && restMsat >= 0 ? [{ name: texts.after, value: <Msat msat={restMsat} unit />, isTotal: true }] : []),
        ]}
      />
      {restMsat < 0 && <Note tone="warning">{texts.tooLittle}</Note>}
    </>
  );
}

const MAX_SHOWN = 10;

function Preview({ parsed: { lines, sumMsat, ownAmounts, prices, problems } }: { parsed: ParsedCsv }) {
  return (
    <>
      {lines.length > 0 && (
        <Note tone={problems.length === 0 ? 'good' : 'info'}>
          <p>{texts.preview(texts.count(lines.length), formatMsat(sumMsat))}</p>
          {prices > 0 && <p class="small">{texts.prices(prices)}</p>}
          {ownAmounts > 0 && <p class="small">{texts.ownAmounts(ownAmounts)}</p>}
        </Note>
      )}
      {problems.length > 0 && (
        <Note tone="warning">
          <p>{texts.bad(problems.length)}</p>
          <ul class="payout-problems">
            {problems.slice(0, MAX_SHOWN).map((problem) => (
              <li key={problem}>
                <bdi>{problem}</bdi>
              </li>
            ))}
            {problems.length > MAX_SHOWN && <li>{texts.more(problems.length - MAX_SHOWN)}</li>}
          </ul>
        </Note>
      )}
    </>
  );
}
