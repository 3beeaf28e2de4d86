import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/features/lnurl/pay/pay-links.sql.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Its types are those of the API's client, which needs a browser. */
const FEE_RULE = '../../web/src/policy/fee-rule.ts';

interface FeeRules {
  draftOf(rule: object): object;
  errorsOf(draft: object): object;
  ruleOfDraft(draft: object): object;
}

it('names the page of connections in Spanish, where filters agree with what they filter', async () => {
  const texts = Object.values(await import('../../web/src/texts/es/wallets.ts'))[0] as unknown as { wallets: { filter: object } };
  expect(texts.wallets.filter).toEqual({ all: 'Todos', active: 'Activos', inactive: 'Inactivos' });
  const { money } = await import('../../web/src/texts/es/money.ts');
  expect(money.send.unusable.app).toContain('página «Conexiones»');
});

/** Loads the code of the dashboard as a browser with these languages does. */
async function inBrowser(...languages: string[]) {
  vi.resetModules();
  vi.stubGlobal('navigator', { languages });
  const [texts, amount, time, decimal, fiat, msat, links, fees] = await Promise.all([
    import('../../web/src/texts/texts.ts'),
    import('../../web/src/parts/format-amount.ts'),
    import('../../web/src/parts/format-time.ts'),
    import('../../web/src/parts/decimal.ts'),
    import('../../web/src/parts/format-fiat.ts'),
    import('../../web/src/policy/msat-text.ts'),
    import('../../web/src/parts/link-text.ts'),
    import(/* @vite-ignore */ FEE_RULE) as Promise<FeeRules>,
  ]);
  return { ...texts, ...amount, ...time, ...decimal, ...fiat, ...msat, ...links, ...fees };
}

const AT = new Date(2026, 2, 5, 14, 31).getTime();
const LATER = new Date(2026, 10, 22, 9, 0).getTime();

describe('the language', () => {
  it('is the first of the browser that the dashboard has, otherwise English', async () => {
    expect((await inBrowser('fr-FR', 'es-MX', 'de')).code).toBe('es');
    expect((await inBrowser('de-AT')).t.wallets.title).toBe('Wallets');
    expect((await inBrowser('de-AT')).t.wallets.label).toBe('Bezeichnung');
    expect((await inBrowser('fr', 'ja')).t.wallets.label).toBe('Label');
  });

  it('is the chosen one before those of the browser', async () => {
    vi.stubGlobal('localStorage', { getItem: (name: string) => (name === 'language' ? 'de' : null) });
    expect((await inBrowser('es-ES')).code).toBe('de');
    vi.stubGlobal('localStorage', { getItem: () => 'xx' });
    expect((await inBrowser('es-ES')).code).toBe('es');
  });

  it('has the formats of the variant that the browser has', async () => {
    expect((await inBrowser('es-MX')).locale).toBe('es-MX');
    expect((await inBrowser('de')).locale).toBe('de');
    expect((await inBrowser('en-US')).locale).toBe('en-GB');
  });
});

it.each([
  ['en', 'Lightning payment'],
  ['de', 'Lightning-Zahlung'],
  ['es', 'Pago Lightning'],
])('gives a pay link without a text the default in the language %s, and lists links of the service by it', async (language, text) => {
  const { enteredLinkText, linkName } = await inBrowser(language);
  expect([enteredLinkText(''), enteredLinkText('  '), enteredLinkText('Tips')]).toEqual([text, text, 'Tips']);
  expect([linkName(DEFAULT_SETTINGS.short_desc), linkName('Tips')]).toEqual([text, 'Tips']);
});

describe('numbers', () => {
  it('have decimals in the form of the language, and whole sats in groups by narrow spaces in every language', async () => {
    for (const [language, mark] of [
      ['en', '.'],
      ['de', ','],
      ['es-ES', ','],
      ['es-MX', '.'],
    ] as const) {
      const { formatMsat, formatSats, formatFiat } = await inBrowser(language);
      expect(formatSats(1_284_530)).toBe('1\u202f284\u202f530');
      expect(formatMsat(1_284_530_250)).toBe(`1\u202f284\u202f530${mark}250`);
      expect(formatSats(1_284_530, { unit: 'btc' })).toBe(`0${mark}01\u202f284\u202f530`);
      expect(formatFiat(100_000_000_000n, { currency: 'EUR', perBtc: '61234.5' })).toBe(`61\u202f234${mark}50`);
    }
  });

  it('of fields are read back as they were written', async () => {
    for (const language of ['en', 'de', 'es-ES', 'es-MX']) {
      const { msatText, parseMsat, draftOf, errorsOf, ruleOfDraft } = await inBrowser(language);
      for (const msat of [0, 1, 500, 999, 1000, 1001, 14_246, 999_999, 1_000_000, 1_234_567_891])
        expect(parseMsat(msatText(msat))).toBe(msat);
      const rule = { flat_msat: 1500, proportional_millionths: 1250, min_msat: 1001, max_msat: 123_456, free_below_msat: 0 };
      expect(errorsOf(draftOf(rule))).toEqual({});
      expect(ruleOfDraft(draftOf(rule))).toEqual(rule);
    }
  });
});

describe('a typed number', () => {
  it('may have a comma or a point in front of decimals, in every language', async () => {
    for (const language of ['en', 'de']) {
      const { readDecimal } = await inBrowser(language);
      expect(['1,5', '1.5', '0,25', '12.34', ' 1 234,5 ', '1\u202f234.5'].map((text) => readDecimal(text, 2))).toEqual([
        '1.5',
        '1.5',
        '0.25',
        '12.34',
        '1234.5',
        '1234.5',
      ]);
    }
  });

  it('is never read in the wrong one of two ways', async () => {
    const [english, german] = [(await inBrowser('en')).readDecimal, (await inBrowser('de')).readDecimal];
    // With three decimals possible, only the mark of the language begins them.
    expect([english('1.000', 3), english('1,000', 3)]).toEqual(['1.000', undefined]);
    expect([german('1,000', 3), german('1.000', 3)]).toEqual(['1.000', undefined]);
    // In a currency with two decimals it would be a thousand or an error.
    for (const read of [english, german]) expect([read('1.000', 2), read('1,000', 2)]).toEqual([undefined, undefined]);
    // Both marks, or one several times, leave no choice.
    for (const read of [english, german]) {
      expect(read('1.234,56', 2)).toBe('1234.56');
      expect(read('1,234.56', 2)).toBe('1234.56');
      expect(read('1.000.000', 2)).toBe('1000000');
      expect(read("1'000.50", 2)).toBe('1000.50');
    }
  });

  it('of whole sats may be grouped in any way, and has no decimals', async () => {
    for (const language of ['en', 'de']) {
      const { readDecimal, parseCount } = await inBrowser(language);
      for (const text of ['1000', '1 000', '1.000', '1,000', "1'000", '1\u202f000']) expect(readDecimal(text, 0)).toBe('1000');
      for (const text of ['1,5', '1.5', '10.00', '1.0000', '1000.000', '', '.', ',5', '5,', '-1', '1e3', '0x10', '1..000', '1.000,000'])
        expect(readDecimal(text, 0), text).toBeUndefined();
      expect(parseCount('2.500')).toBe(2500);
      expect(parseCount('2.5')).toBeUndefined();
    }
  });

  it('with more decimals than the field has is none', async () => {
    const { readDecimal } = await inBrowser('en');
    expect([readDecimal('1.234', 2), readDecimal('0.123', 2), readDecimal('1.23456', 4), readDecimal('1.2345', 4)]).toEqual([
      undefined,
      undefined,
      undefined,
      '1.2345',
    ]);
  });
});

describe('dates', () => {
  it('are in the language, with a clock of 24 hours', async () => {
    const english = await inBrowser('en-US');
    expect([english.formatTime(AT, LATER), english.formatDate(AT)]).toEqual(['5 Mar 14:31', '5 Mar 2026']);
    const german = await inBrowser('de');
    expect([german.formatTime(AT, LATER), german.formatDate(AT)]).toEqual(['5. März 14:31', '5. März 2026']);
    expect(german.formatTime(LATER, LATER)).toBe('Heute 09:00');
    expect(german.formatRelativeTime(LATER - 120_000, LATER)).toBe('vor 2 Min.');
    const spanish = await inBrowser('es-MX');
    expect(spanish.formatTime(AT, LATER)).toBe('5 mar 14:31');
    expect(spanish.formatTime(LATER, LATER)).toBe('Hoy 09:00');
    expect(spanish.formatRelativeTime(LATER + 120_000, LATER)).toBe('dentro de 2 min');
  });
});
