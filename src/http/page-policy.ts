import { hash } from 'node:crypto';

/** Returns the Content-Security-Policy of a page that has no script, loads nothing, cannot be framed, and has this one style. */
export function pagePolicy(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
