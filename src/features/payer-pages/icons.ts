import { Html } from '../../http/pages/html.ts';

/** Drawings of Lucide (ISC). */
const ICONS = {
  alert: '<circle cx="12" cy="12" r="10"/><path d="M12 8v4M12 16h.01"/>',
  check: '<circle cx="12" cy="12" r="10"/><path d="m16 9-5.5 5.5L8 12"/>',
  clock: '<circle cx="12" cy="12" r="10"/><path d="M12 6v6l4 2"/>',
  copy: '<rect width="14" height="14" x="8" y="8" rx="2"/><path d="M4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2"/>',
  lock: '<rect width="18" height="11" x="3" y="11" rx="2"/><path d="M7 11V7a5 5 0 0 1 10 0v4"/>',
  printer:
    '<path d="M6 18H4a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-2"/><path d="M6 9V3a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v6"/>' +
    '<rect x="6" y="14" width="12" height="8" rx="1"/>',
  qr:
    '<rect width="5" height="5" x="3" y="3" rx="1"/><rect width="5" height="5" x="16" y="3" rx="1"/><rect width="5" height="5" x="3" y="16" rx="1"/>' +
    '<path d="M21 16h-3a2 2 0 0 0-2 2v3M21 21v.01M12 7v3a2 2 0 0 1-2 2H7M3 12h.01M12 3h.01M12 16v.01M16 12h1M21 12v.01M12 21v-1"/>',
  share: '<path d="M4 12v8a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-8M16 6l-4-4-4 4M12 2v13"/>',
  tick: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  timer: '<path d="M10 2h4M12 14l3-3"/><circle cx="12" cy="14" r="8"/>',
} as const;

export function icon(name: keyof typeof ICONS): Html {
  return new Html(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${ICONS[name]}</svg>`);
}

/** Satchel's logo in one color. */
export const LOGO = new Html(
  '<svg class="satchel" viewBox="0 0 24 24" aria-hidden="true"><path class="strap" d="M8.5 7.5V5.8A2.8 2.8 0 0 1 11.3 3h1.4a2.8 2.8 0 0 1 2.8 2.8v1.7"/>' +
    '<path d="M1.5 9.5A2.5 2.5 0 0 1 4 7h16a2.5 2.5 0 0 1 2.5 2.5V18a3.5 3.5 0 0 1-3.5 3.5H5A3.5 3.5 0 0 1 1.5 18z"/></svg>',
);
