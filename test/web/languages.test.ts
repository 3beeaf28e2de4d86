import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Translation } from '../../web/src/texts/translation.ts';

const folder = join(import.meta.dirname, '..', '..', 'web', 'src', 'texts');
const languages = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Words that the languages share with English: names, units, and words of the field. */
const SHARED_WORDS = new Set(
  (
    'API App Apps BTC BOLT11 Browser Budget CSV Code Connect Core Ctrl Esc Enter Filter Keysend keysend LND LNDhub LNPay LNURL LNbits Lightning Limit Limits Link Links Live Name Node ' +
    'Nostr OpenAPI Passkey Passkeys Peer Playground Preimage Relays Software Status System Telegram Total URL Version Wallet Wallets Webhook Webhooks alice carol sat sats Sats ' +
    'NaN fundchannel go in lightning-cli lncli lndhub min offline openchannel webhook-id webhook-signature webhook-timestamp'
  ).split(' '),
);

/** Requests, which are the same in every language. */
const REQUEST = /^(GET|POST) /;

async function englishTexts(): Promise<Record<string, unknown>> {
  const { en } = await import('../../web/src/texts/en.ts');
  const files = readdirSync(folder).filter((name) => /^en-(?!common|keys|logins|operator|wallets|webhooks)/.test(name));
  const modules = await Promise.all(
    files.map(async (name) => {
      const [texts] = Object.values((await import(join(folder, name))) as object);
      return [name.slice(3, -3), texts] as const;
    }),
  );
  return { start: en, ...Object.fromEntries(modules) };
}

const SAMPLES = ['«A»', '«B»', '«C»', '«D»'];
const COUNTS = [0, 1, 2, 5, 21, 1_000_000];

/** What a function of texts returns: for words as values, and for counts, with one, none and several. */
function callsOf(text: (...values: never[]) => unknown): unknown[] {
  const call = text as (...values: unknown[]) => unknown;
  const values = [...COUNTS.map((count) => SAMPLES.map(() => count)), SAMPLES, ['', '', '', ''], [Object.fromEntries([])]];
  return values.map((one) => call(...one));
}

/** Lists all texts under their paths. */
function flatten(texts: unknown, path = ''): [string, unknown][] {
  if (typeof texts !== 'object' || texts === null) return [[path, texts]];
  return Object.entries(texts).flatMap(([name, text]) => flatten(text, path === '' ? name : `${path}.${name}`));
}

const english = new Map(flatten(await englishTexts()));
const translations = await Promise.all(
  languages.map(async (name) => {
    const { language } = (await import(join(folder, name, `${name}.ts`))) as { language: Translation };
    const { direction: _, errors: __, ...texts } = language;
    return { name, texts: new Map(flatten(texts)) };
  }),
);

/** Which of the values a text has. */
function placeholders(text: unknown): string[] {
  return SAMPLES.filter((sample) => String(text).includes(sample));
}

describe.each(translations)('the texts in $name', ({ texts }) => {
  it('are those of English, none missing and none more', () => {
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('are not empty where the English ones are not', () => {
    const empty = [...texts].filter(([path, text]) => typeof text === 'string' && text.trim() === '' && english.get(path) !== '');
    expect(empty).toEqual([]);
  });

  it('have the same values in them', () => {
    const functions = [...texts].filter(([, text]) => typeof text === 'function') as [string, (...values: never[]) => unknown][];
    expect(functions.length).toBeGreaterThan(50);
    for (const [path, text] of functions) {
      const original = english.get(path) as (...values: never[]) => unknown;
      expect(typeof original, path).toBe('function');
      const [theirs, ours] = [callsOf(original), callsOf(text)];
      ours.forEach((result, index) => {
        const [one, other] = [theirs[index], result].map((value) =>
          typeof value === 'function' ? (value as (text: string) => string)(SAMPLES[1] as string) : value,
        );
        expect(placeholders(other), path).toEqual(placeholders(one));
        expect(String(other).includes('undefined'), path).toBe(String(one).includes('undefined'));
        expect(String(other).trim() === '', path).toBe(String(one).trim() === '');
      });
    }
  });

  it('are translated, but for names and words that are the same', () => {
    const said = (text: unknown) => {
      const result = typeof text === 'function' ? callsOf(text as () => unknown)[COUNTS.length] : text;
      return typeof result === 'function' ? '' : String(result);
    };
    const words = (text: string) => text.split(/[^\p{L}\d-]+/u).filter((word) => /\p{L}{2}/u.test(word));
    const same = [...texts].filter(([path, text]) => {
      const [one, other] = [said(english.get(path)), said(text)];
      return one === other && !REQUEST.test(one) && words(one).some((word) => !SHARED_WORDS.has(word));
    });
    expect(same).toEqual([]);
  });
});

it('English has no text that says nothing', () => {
  expect([...english].filter(([, text]) => typeof text === 'string' && text.trim() === '')).toEqual([]);
});

it('uses the Spanish singular for one settled payment, and the plural otherwise', () => {
  const paid = translations.find(({ name }) => name === 'es')?.texts.get('apps.paid') as (count: string) => string;
  expect(['0', '1', '21'].map(paid)).toEqual(['0 liquidados', '1 liquidado', '21 liquidados']);
});

/** Numbers that are no counts: those of a process, of a version, and of a row or a payment in a list. */
const NAMES_OF_NUMBERS = new Set(['pid', 'id', 'version', 'number']);

/** Returns the functions in a file of texts: name, parameters, and the text up to the next one. */
function functionsIn(file: string): [name: string, parameters: string[], body: string][] {
  const source = readFileSync(join(folder, file), 'utf8');
  const matches = source.matchAll(/^\s*(?:const )?(\w+)(?::| =) \(([^()]*)\) =>((?:.|\n(?!\s*(?:const )?[\w']+(?::| =) ))*)/gm);
  return [...matches].map(([, name = '', parameters = '', body = '']) => [name, parameters.split(', '), body]);
}

describe.each(['en', ...languages])('the texts in %s', (language) => {
  it('group the digits of every count', async () => {
    const ungrouped: string[] = [];
    let checked = 0;
    for (const file of readdirSync(folder).filter((name) => name.startsWith('en-'))) {
      const counts = new Map(
        functionsIn(file).map(([name, parameters]) => [
          name,
          parameters.map((one) => /^(\w+): number$/.exec(one)?.[1]).map((one) => one !== undefined && !NAMES_OF_NUMBERS.has(one)),
        ]),
      );
      for (const [name, parameters, body] of functionsIn(language === 'en' ? file : join(language, file.slice(3)))) {
        const names = parameters.map((one) => one.split(':')[0] ?? '').filter((_, index) => counts.get(name)?.[index]);
        checked += names.length;
        ungrouped.push(...names.filter((one) => body.includes(`\${${one}}`)).map((one) => `${file} ${name} ${one}`));
      }
    }
    expect(checked).toBeGreaterThan(50);
    expect(ungrouped).toEqual([]);
    const { formatCount } = await import(join(folder, language === 'en' ? '' : language, 'count.ts'));
    expect([0, 999, 1000, 1_234_567].map(formatCount)).toEqual(['0', '999', '1\u202f000', '1\u202f234\u202f567']);
  });
});
