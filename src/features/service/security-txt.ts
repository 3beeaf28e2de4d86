import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { App } from '../../http/app-type.ts';

const PATH = '/.well-known/security.txt';
/** RFC 9116 recommends less than a year. The file is made for each request, so it never expires while the service runs. */
const VALID_SECONDS = 30 * 86_400;

/** Returns the contact of `SECURITY_CONTACT` as a URI; undefined for a text that is none. */
export function contactUri(text: string): string | undefined {
  if (/^[^\s@<>:/]+@[^\s@<>:/]+\.[^\s@<>:/]+$/.test(text)) return `mailto:${text}`;
  return /^(mailto:[^\s@]+@\S+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(text) && URL.canParse(text) ? text : undefined;
}

export interface SecurityTxtDependencies {
  readonly clock: Clock;
  readonly publicUrl: string;
  /** URIs, the preferred one first. None: the file does not exist. */
  readonly contacts: readonly string[];
}

/** The file that says where to report a vulnerability of this instance (RFC 9116). */
export function securityTxtRoute(app: App, { clock, publicUrl, contacts }: SecurityTxtDependencies): void {
  if (contacts.length === 0) return;
  app.get(PATH, { config: { undocumented: true, isPublic: true } }, async (_request, reply) => {
    const expires = new Date((unixSeconds(clock) + VALID_SECONDS) * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    const canonical = new URL(PATH, publicUrl).href;
    const lines = [...contacts.map((contact) => `Contact: ${contact}`), `Expires: ${expires}`, `Canonical: ${canonical}`];
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  });
}
