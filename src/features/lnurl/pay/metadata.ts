import { Refusal } from '../../../core/kernel/refusal.ts';
import type { LinkSettings } from './pay-links.sql.ts';

/** A thumbnail, whose content matches its type. */
export interface Image {
  readonly type: 'image/png;base64' | 'image/jpeg;base64';
  /** Base64. */
  readonly data: string;
}

/**
 * Returns the metadata that a paying wallet shows, as the text that invoices commit to. The address is `text/identifier`, because the service
 * has no mail. Source: LUD-06, LUD-16, LUD-20.
 */
export function metadataText({ short_desc, long_desc, domain, name, image }: LinkSettings & { image?: Image | undefined }): string {
  const entries = [['text/plain', short_desc]];
  if (name !== null) entries.push(['text/identifier', `${name}@${domain}`]);
  if (long_desc !== null) entries.push(['text/long-desc', long_desc]);
  if (image) entries.push([image.type, image.data]);
  return JSON.stringify(entries);
}

/** Returns the image in a text of {@link metadataText}. */
export function imageIn(metadata: string): Image | undefined {
  const entries = JSON.parse(metadata) as [string, string][];
  const [type, data] = entries.find(([one]) => one.startsWith('image/')) ?? [];
  return type === undefined || data === undefined ? undefined : { type: type as Image['type'], data };
}

/** 30 kB. LUD-06 allows 100 kB, but each payer loads the image and the request body holds 64 kB. */
export const MAX_IMAGE_LENGTH = 40_000;

const FORMATS: readonly (readonly [Image['type'], magic: string])[] = [
  ['image/png;base64', '89504e470d0a1a0a'],
  ['image/jpeg;base64', 'ffd8ff'],
];

/** Reads a PNG or JPEG in base64. @throws Refusal */
export function readImage(data: string): Image {
  const bytes = Buffer.from(data, 'base64');
  const start = bytes.subarray(0, 8).toString('hex');
  const [type] = FORMATS.find(([, magic]) => start.startsWith(magic)) ?? [];
  if (type === undefined || data.length > MAX_IMAGE_LENGTH || bytes.toString('base64') !== data)
    throw new Refusal(
      'validation_failed',
      `\`lnurlp_image\` must be a PNG or JPEG image in base64 with padding, of at most ${MAX_IMAGE_LENGTH} characters.`,
    );
  return { type, data };
}
