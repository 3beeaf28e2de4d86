import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { useFiat, useFiatRate } from '../../api/fiat-rate.ts';
import { Card } from '../../parts/card.tsx';
import { SelectField } from '../../parts/field.tsx';
import { describeRate } from '../../parts/format-fiat.ts';
import { Note } from '../../parts/note.tsx';
import { Segments } from '../../parts/segments.tsx';
import { setUnit, useUnitSetting } from '../../parts/unit-setting.ts';
import { texts as fiatTexts } from '../../texts/en-fiat.ts';
import { chosenLanguage, LANGUAGES, t } from '../../texts/texts.ts';

type Theme = 'system' | 'light' | 'dark';

/** What this browser remembers: the theme and the unit of amounts. */
export function AppearanceCard() {
  const [theme, setTheme] = useState<Theme>(readTheme);

  function choose(chosen: Theme) {
    setTheme(chosen);
    applyTheme(chosen);
  }

  return (
    <Card title={t.settings.appearance} isPadded>
      <div class="stack">
        <div class="row wrap">
          <span>{t.settings.theme}</span>
          <span class="push">
            <Segments
              label={t.settings.theme}
              value={theme}
              options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t.settings.themes[value] }))}
              onChange={choose}
            />
          </span>
        </div>
        <LanguageChoice />
        <UnitChoice />
        <CurrencyChoice />
        <p class="small secondary">{t.settings.appearanceHint}</p>
      </div>
    </Card>
  );
}

/** Each language is listed with its own name. The page is loaded again in the chosen one. */
function LanguageChoice() {
  return (
    <SelectField
      label={t.settings.language}
      value={chosenLanguage}
      options={[{ value: '', label: t.settings.automatic }, ...LANGUAGES.map((language) => ({ value: language, label: nameOf(language) }))]}
      onValue={chooseLanguage}
    />
  );
}

function nameOf(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** `web/src/texts/texts.ts` reads the same entry before the first render. */
function chooseLanguage(language: string): void {
  if (language === '') localStorage.removeItem('language');
  else localStorage.setItem('language', language);
  location.reload();
}

/** Fiat values can be chosen while the operator has set a rate. */
function UnitChoice() {
  const unit = useUnitSetting();
  const { data: rate } = useFiatRate();
  const isFiat = unit === 'fiat';
  return (
    <>
      <div class="row wrap">
        <span>{t.settings.unit}</span>
        <span class="push">
          <Segments
            label={t.settings.unit}
            value={isFiat && rate === null ? 'sats' : unit}
            options={[
              { value: 'sats', label: t.common.units.sats },
              { value: 'btc', label: t.common.units.btc },
              ...(rate ? [{ value: 'fiat' as const, label: fiatTexts.unit(rate.currency) }] : []),
            ]}
            onChange={setUnit}
          />
        </span>
      </div>
      {isFiat && rate !== undefined && <p class="small secondary">{rate ? describeRate(rate, Date.now()) : fiatTexts.removed}</p>}
    </>
  );
}

/** The currency of the account, if the service has rates. Choosing one also shows fiat values in this browser. */
function CurrencyChoice() {
  const fiat = useFiat();
  const change = useAction(async (currency: string) => {
    await api.account.change({ currency });
    if (currency !== '') setUnit('fiat');
    fiat.reload();
  });
  const { currencies = [], chosen = null } = fiat.data ?? {};
  if (currencies.length === 0) return null;
  return (
    <>
      <SelectField
        label={fiatTexts.currency}
        hint={fiatTexts.currencyHint}
        value={chosen ?? ''}
        disabled={change.isBusy}
        options={[{ value: '', label: fiatTexts.noCurrency }, ...currencies.map((currency) => ({ value: currency, label: currency }))]}
        onValue={change.run}
      />
      {change.error !== undefined && <Note tone="error">{change.error}</Note>}
    </>
  );
}

/** `web/public/theme.js` reads the same entry before the first paint. */
function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem('theme');
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem('theme', theme);
    document.documentElement.dataset.theme = theme;
  }
}

function readTheme(): Theme {
  const theme = localStorage.getItem('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
