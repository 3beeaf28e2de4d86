import { useMemo, useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { useSetRate } from '../../api/fiat-rate.ts';
import { createIdempotent } from '../../api/idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { groupDecimal, readDecimal } from '../../parts/decimal.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { describeRate, oldAge, type ShownRate } from '../../parts/format-fiat.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { texts as fiatTexts } from '../../texts/en-fiat.ts';
import { locale } from '../../texts/texts.ts';
import './operator.css';

const texts = fiatTexts.card;

/** The rate at which fiat values are shown: sets and removes it. */
export function FiatRateCard() {
  const resource = useSetRate();
  return (
    <Card title={texts.title} isPadded>
      <div class="stack">
        <p class="small secondary">{texts.hint}</p>
        <Loaded resource={resource} skeleton={<Skeleton height="160px" />}>
          {(rate) => (
            <>
              <State rate={rate} />
              <RateForm rate={rate} onChange={resource.reload} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  );
}

function State({ rate }: { rate: ShownRate | null }) {
  const now = Date.now();
  const age = rate ? oldAge(rate, now) : undefined;
  return (
    <>
      <p role="status">{rate ? describeRate(rate, now) : texts.none}</p>
      {age !== undefined && <Note tone="warning">{texts.old(age)}</Note>}
    </>
  );
}

function RateForm({ rate, onChange }: { rate: ShownRate | null; onChange: () => void }) {
  const [currency, setCurrency] = useState(rate?.currency ?? 'EUR');
  const [price, setPrice] = useState(groupDecimal(rate?.perBtc ?? ''));
  const perBtc = readDecimal(price, 8) ?? '';
  const isValid = /^(?=.*[1-9])(0|[1-9]\d{0,14})(\.\d{1,8})?$/.test(perBtc);
  // A key names one rate: another one must not be taken for its repetition.
  const setting = useMemo(() => createIdempotent({ isRepeatable: true }), [currency, perBtc]);
  const removal = useMemo(() => createIdempotent({ isRepeatable: true }), []);
  const set = useAction(async () => {
    await setting((options) => api.operator.setFiatRate({ currency, per_btc: perBtc }, options));
    onChange();
  });
  const remove = useAction(async () => {
    await removal((options) => api.operator.removeFiatRate({}, options));
    onChange();
  });
  const error = set.error ?? remove.error;
  return (
    <Form onSubmit={() => isValid && set.run()}>
      <div class="operator-columns">
        <SelectField label={texts.currency} value={currency} options={currencies()} onValue={setCurrency} />
        <TextField
          label={texts.price}
          inputMode="decimal"
          autocomplete="off"
          value={price}
          onValue={setPrice}
          hint={texts.priceHint}
          error={price !== '' && !isValid ? texts.priceError : undefined}
        />
      </div>
      {error !== undefined && <Note tone="error">{error}</Note>}
      <div class="row wrap">
        <Button kind="primary" type="submit" disabled={!isValid || set.isBusy || remove.isBusy}>
          {texts.set}
        </Button>
        <Button kind="danger" disabled={!rate || set.isBusy || remove.isBusy} onClick={() => remove.run()}>
          {texts.remove}
        </Button>
      </div>
    </Form>
  );
}

/** The currencies that the browser knows: the service checks the chosen one. */
function currencies(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(locale, { type: 'currency' });
  return Intl.supportedValuesOf('currency').map((value) => ({ value, label: `${value} · ${names.of(value) ?? ''}` }));
}
