import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '..', '..', 'web', 'src');
const TOKENS = readFileSync(join(SOURCES, 'styles', 'tokens.css'), 'utf8');

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const TEXTS = ['ink', 'ink2', 'ink3', 'accent', 'positive', 'warning', 'negative'];
const GROUNDS = ['bg', 'surface', 'raised', 'sunken', 'hover'];

/** Text on a ground: 4.5 to 1, as WCAG 2.2 requires of text of any size. */
const TEXT_PAIRS: readonly [string, string][] = [
  ...TEXTS.flatMap((text) => GROUNDS.map((ground): [string, string] => [text, ground])),
  ['ink', 'tab'],
  ['on-accent', 'accent'],
  ...['ink', 'ink2', 'accent'].map((text): [string, string] => [text, 'accent-soft']),
  ...['positive', 'warning', 'negative'].flatMap((tone): [string, string][] => [
    [tone, `${tone}-soft`],
    ['ink', `${tone}-soft`],
  ]),
];

/** Borders and marks that carry meaning: 3 to 1. */
const BORDER_PAIRS: readonly [string, string][] = ['edge', 'accent'].flatMap((line) =>
  ['bg', 'surface', 'raised'].map((ground): [string, string] => [line, ground]),
);

describe.each(THEMES)('in the %s theme', (theme) => {
  it.each(TEXT_PAIRS)('--%s can be read on --%s', (text, ground) => {
    expect(contrast(colorOf(text, theme), colorOf(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(BORDER_PAIRS)('--%s can be seen on --%s', (line, ground) => {
    expect(contrast(colorOf(line, theme), colorOf(ground, theme))).toBeGreaterThanOrEqual(3);
  });
});

it('styles use only custom properties that are defined', () => {
  const texts = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(css|tsx?)$/.test(name))
    .map((name) => readFileSync(join(SOURCES, name), 'utf8'));
  const all = texts.join('\n');
  const defined = new Set(Array.from(all.matchAll(/['"\s{;](--[\w-]+)['"]?\s*:/g), ([, name]) => name));
  const used = new Set(Array.from(all.matchAll(/var\((--[\w-]+)/g), ([, name]) => name));
  expect([...used].filter((name) => !defined.has(name))).toEqual([]);
});

it('colors are defined in tokens.css only', () => {
  const styles = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.css$/.test(name) && !/tokens\.css$/.test(name),
  );
  const colors = styles.flatMap((name) =>
    Array.from(
      readFileSync(join(SOURCES, name), 'utf8').matchAll(/#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch|light-dark)\(/gi),
      ([color]) => `${name}: ${color}`,
    ),
  );
  expect(colors).toEqual([]);
});

it('the pages for payers have the same values', () => {
  const styles = readFileSync(join(SOURCES, '../../src/features/payer-pages/assets/pay.css'), 'utf8');
  const declared = Array.from(styles.matchAll(/^ {2}(--[\w-]+): (.*);$/gm), ([, name = '', value = '']) => `${name}: ${value};`);
  expect(declared.length).toBeGreaterThan(15);
  expect(declared.filter((declaration) => !TOKENS.includes(declaration))).toEqual([]);
  // A QR code and the colors of the operator are the only others.
  const others = styles.replaceAll(/^ {2}--.*$/gm, '').match(/#[\da-f]{3,8}\b/g);
  expect(new Set(others)).toEqual(new Set(['#fff']));
});

/** Returns red, green and blue of a token, from 0 to 1. */
function colorOf(token: string, theme: Theme): readonly number[] {
  const value = new RegExp(`--${token}:\\s*light-dark\\((#\\w+),\\s*(#\\w+)\\)`).exec(TOKENS);
  const hex = value?.[theme === 'light' ? 1 : 2]?.slice(1);
  if (hex === undefined || ![3, 6].includes(hex.length)) throw new Error(`--${token} is not an opaque color for each theme`);
  const digits = hex.length === 3 ? Array.from(hex, (digit) => digit + digit) : (hex.match(/../g) ?? []);
  return digits.map((pair) => Number.parseInt(pair, 16) / 255);
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
