import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { textColorOn } from '../../src/features/payer-pages/brand.ts';

const folder = mkdtempSync(join(tmpdir(), 'satchel-brand-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const png = (width: number, height: number) => PNG.sync.write(new PNG({ width, height }));
const brandOf = (settings: Record<string, string>) => readConfig({ PUBLIC_URL: 'https://till.example', ...settings }).payerPages;

describe('the look of the pages for payers', () => {
  it('has the host as the name and a color by default, no logo, and no site that may frame it', () => {
    expect(brandOf({})).toEqual({ brand: { name: 'till.example', text: '', color: '#0b5a72', logo: undefined }, embedSites: [] });
  });

  it('has the name, the line, the color and the logo of the operator', () => {
    const logo = png(64, 64);
    const settings = { PAY_NAME: 'Harbour Roastery', PAY_TEXT: '7 Quay Street', PAY_COLOR: '#7A2E4D', PAY_LOGO: file('logo.png', logo) };
    expect(brandOf(settings).brand).toEqual({ name: 'Harbour Roastery', text: '7 Quay Street', color: '#7a2e4d', logo });
  });

  it.each([
    ['PAY_NAME', 'x'.repeat(61), 'at most 60 characters'],
    ['PAY_NAME', 'two\nlines', 'on one line'],
    ['PAY_TEXT', 'x'.repeat(201), 'at most 200 characters'],
    ['PAY_COLOR', 'red', 'six hexadecimal digits'],
    ['PAY_COLOR', '#abc', 'six hexadecimal digits'],
    ['PAY_COLOR', '#112233;background:url(x)', 'six hexadecimal digits'],
    ['PAY_LOGO', '/nothing/here.png', 'that this user can read (ENOENT)'],
    ['PAY_LOGO', file('wide.png', png(64, 32)), 'a square PNG image of at most 64 kB and 1024 pixels a side'],
    ['PAY_LOGO', file('huge.png', png(1025, 1025)), 'a square PNG image'],
    ['PAY_LOGO', file('long.png', Buffer.concat([png(8, 8), Buffer.alloc(65_536)])), 'a square PNG image'],
    ['PAY_LOGO', file('logo.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), 'a square PNG image'],
    ['EMBED_SITES', 'https://shop.example/path', 'origins such as https://shop.example.com'],
    ['EMBED_SITES', 'https://*.example', 'origins such as'],
    ['EMBED_SITES', "https://shop.example;script-src 'unsafe-inline'", 'origins such as'],
    ['EMBED_SITES', Array.from({ length: 51 }, (_, i) => `https://s${i}.example`).join(), 'at most 50 origins'],
  ])('is refused with the rule for %s=%s', (name, value, rule) => {
    expect(() => brandOf({ [name]: value })).toThrow(rule);
    expect(() => brandOf({ [name]: value })).toThrow(name);
  });

  it('lists each site once', () => {
    expect(brandOf({ EMBED_SITES: 'https://a.example, http://localhost:8080 https://a.example' }).embedSites).toEqual([
      'https://a.example',
      'http://localhost:8080',
    ]);
  });
});

describe('the text on a color of the operator', () => {
  const BLACK = ['#f2b705', '#e0592a', '#ffffff', '#00ff00', '#777777'];
  const WHITE = ['#7a2e4d', '#1450c8', '#000000', '#0b5a72', '#ff0000', '#767676'];
  const colors = [
    ...BLACK.map((color) => [color, '#000000'] as const),
    ...WHITE.filter((one) => one !== '#ff0000').map((color) => [color, '#ffffff'] as const),
    ['#ff0000', '#000000'] as const,
  ];

  it.each(colors)('on %s is %s, with at least 4.5 to 1', (color, text) => {
    expect(textColorOn(color)).toBe(text);
    const [one, other] = [luminance(color), luminance(text)];
    expect((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)).toBeGreaterThanOrEqual(4.5);
  });
});

/** WCAG 2.2, "relative luminance", written apart from the code that is tested. */
function luminance(color: string): number {
  const weights = [0.2126, 0.7152, 0.0722];
  return weights.reduce((sum, weight, i) => {
    const part = Number.parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16) / 255;
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
}
