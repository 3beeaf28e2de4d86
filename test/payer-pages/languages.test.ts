import { describe, expect, it } from 'vitest';
import { decimalMark, durationText, priceText, satsText } from '../../src/features/payer-pages/format.ts';
import { chooseLanguage, PAYER_LANGUAGES } from '../../src/features/payer-pages/language.ts';
import { onFakeNode } from '../support/app.ts';

/** Lists all texts under their paths. Functions are called with sample values. */
function flatten(texts: unknown, path = ''): [string, string][] {
  if (typeof texts === 'function') return [[path, String(texts('«A»', '«B»', '«C»'))]];
  if (typeof texts !== 'object' || texts === null) return [[path, String(texts)]];
  return Object.entries(texts).flatMap(([name, text]) => flatten(text, path === '' ? name : `${path}.${name}`));
}

const [english = PAYER_LANGUAGES[0], ...others] = PAYER_LANGUAGES;
const ofEnglish = new Map(flatten(english));
/** Units, and words that the languages share. */
const SHARED = /^(«\w» (s|min|h|d)|optional|ltr)$/;

describe.each(others.map((texts) => [texts.code, texts] as const))('the texts for payers in %s', (_code, texts) => {
  const all = new Map(flatten(texts));

  it('are those of English, none empty, with the same values', () => {
    expect([...all.keys()].sort()).toEqual([...ofEnglish.keys()].sort());
    const values = (text = '') => (text.match(/«\w»/g) ?? []).sort();
    for (const [path, text] of all) {
      expect(text.trim(), path).not.toBe('');
      expect(values(text), path).toEqual(values(ofEnglish.get(path)));
    }
  });

  it('are translated', () => {
    const same = [...all].filter(([path, text]) => text === ofEnglish.get(path) && !SHARED.test(text));
    expect(same).toEqual([]);
  });
});

describe('the language of a page for payers', () => {
  it('is the accepted one with the highest weight, otherwise English', () => {
    const chosen = (accepted: string) => chooseLanguage(accepted).code;
    expect(chosen('de-AT,de;q=0.9,en;q=0.8')).toBe('de');
    expect(chosen('fr;q=1, es-MX;q=0.5, de;q=0.7')).toBe('de');
    expect(chosen('ES')).toBe('es');
    expect(chosen('de;q=0, es;q=0.1')).toBe('es');
    for (const other of ['', '*', 'fr', 'de;q=0', ';;;', 'de;q=x', 'x'.repeat(10_000)]) expect(chosen(other)).toBe('en');
  });

  it('has its form of numbers', () => {
    const forms = PAYER_LANGUAGES.map((texts) => [
      satsText(texts, 1_234_567_500),
      priceText(texts, { amount: '1234.5', currency: 'EUR' }),
      durationText(texts, 120),
      decimalMark(texts),
    ]);
    expect(forms).toEqual([
      ['1\u202f234\u202f567.5 sats', '1\u202f234.50 EUR', '2 min', '.'],
      ['1\u202f234\u202f567,5 sats', '1\u202f234,50 EUR', '2 min', ','],
      ['1\u202f234\u202f567,5 sats', '1\u202f234,50 EUR', '2 min', ','],
    ]);
  });
});

onFakeNode('the pages for payers by Accept-Language', ({ client }) => {
  const read = async (path: string, accepted: string) => {
    const response = await fetch(`${client.url}${path}`, { headers: { accept: 'text/html', 'accept-language': accepted } });
    return { headers: response.headers, markup: await response.text() };
  };

  it('are in German and Spanish, and say that they depend on it', async () => {
    const wallet = await client.wallet();
    await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'sprache' });
    const german = await read('/pay/sprache', 'de-CH');
    expect(german.markup).toContain('<html lang="de" dir="ltr">');
    expect(german.markup).toContain('>Weiter</button>');
    expect(german.headers.get('content-language')).toBe('de');
    expect(german.headers.get('vary')).toContain('Accept-Language');
    const spanish = await read('/pay/sprache', 'es');
    expect(spanish.markup).toContain('>Continuar</button>');
    const english = await read('/pay/sprache', 'fr');
    expect(english.markup).toContain('<html lang="en" dir="ltr">');
    expect(english.headers.get('vary')).toContain('Accept-Language');
    const missing = await read('/pay/nobody-here', 'de');
    expect(missing.markup).toContain('Hier kann nicht bezahlt werden');
  });

  it('explain the errors of a form in the language', async () => {
    const wallet = await client.wallet();
    await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'fehler' });
    const submit = async (amount: string) => {
      const body = new URLSearchParams({ amount, currency: 'sats' });
      const response = await fetch(`${client.url}/pay/fehler`, { method: 'POST', body, headers: { 'accept-language': 'de' } });
      return response.text();
    };
    expect(await submit('')).toContain('Einen Betrag eingeben.');
    expect(await submit('1,5')).toContain('Der Betrag muss in ganzen Sats angegeben sein.');
  });
});
