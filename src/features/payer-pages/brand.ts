import { readFileSync } from 'node:fs';

/** How the pages for payers look. */
export interface Brand {
  readonly name: string;
  /** A line about the operator. */
  readonly text: string;
  /** `#rrggbb`. */
  readonly color: string;
  /** A square PNG image. */
  readonly logo: Buffer | undefined;
}

const MAX_NAME = 60;
const MAX_TEXT = 200;
const MAX_LOGO_BYTES = 64 * 1024;
const MAX_LOGO_PIXELS = 1024;
const MAX_SITES = 50;
const DEFAULT_COLOR = '#0b5a72';
const PNG = '89504e470d0a1a0a';

interface BrandSettings {
  readonly get: (name: string) => string | undefined;
  /** Creates the error of an invalid setting. */
  readonly invalid: (message: string) => Error;
}

/** Reads PAY_NAME, PAY_TEXT, PAY_COLOR and PAY_LOGO. Without a name, it is the host of the service. @throws the error of `invalid` */
export function readBrand({ get, invalid }: BrandSettings, host: string): Brand {
  const text = (name: string, maxLength: number) => {
    const value = get(name) ?? '';
    if (value.length <= maxLength && !/\p{Cc}/u.test(value)) return value;
    throw invalid(`${name} must have at most ${maxLength} characters, on one line.`);
  };
  const color = get('PAY_COLOR') ?? DEFAULT_COLOR;
  if (!/^#[0-9a-f]{6}$/i.test(color)) throw invalid('PAY_COLOR must be # and six hexadecimal digits, such as #7a2e4d.');
  const path = get('PAY_LOGO');
  const logo = path === undefined ? undefined : readLogo(path, invalid);
  return { name: text('PAY_NAME', MAX_NAME) || host, text: text('PAY_TEXT', MAX_TEXT), color: color.toLowerCase(), logo };
}

function readLogo(path: string, invalid: BrandSettings['invalid']): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw invalid(`PAY_LOGO must be the path of a file that this user can read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const isPng = bytes.length > 24 && bytes.subarray(0, 8).toString('hex') === PNG;
  const [width, height] = isPng ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : [0, 1];
  if (width === height && width <= MAX_LOGO_PIXELS && bytes.length <= MAX_LOGO_BYTES) return bytes;
  throw invalid(
    `PAY_LOGO must be the path of a square PNG image of at most ${MAX_LOGO_BYTES / 1024} kB and ${MAX_LOGO_PIXELS} pixels a side.`,
  );
}

/** Reads EMBED_SITES: the origins whose pages may show the pages for payers in a frame. @throws the error of `invalid` */
export function readEmbedSites({ get, invalid }: BrandSettings): string[] {
  const sites = (get('EMBED_SITES') ?? '').split(/[\s,]+/).filter(Boolean);
  if (sites.length <= MAX_SITES && sites.every(isOrigin)) return [...new Set(sites)];
  throw invalid(`EMBED_SITES must be at most ${MAX_SITES} origins such as https://shop.example.com, without a path, separated by commas.`);
}

/** A wildcard or a semicolon would allow more in the Content-Security-Policy. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Returns the color of a text on a ground: white, or black where white has less than 4.5 to 1 and black has more. One of them always has 4.58. */
export function textColorOn(ground: string): '#ffffff' | '#000000' {
  const white = contrast(ground, '#ffffff');
  return white < 4.5 && contrast(ground, '#000000') > white ? '#000000' : '#ffffff';
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const parts = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
