import { createSentences, type ShownAlert } from '../../core/alerts/alert-sentences.ts';
import { ALERT_TEXTS } from '../../core/alerts/alert-texts.ts';
import { groupedDigits } from '../../core/kernel/shown-text.ts';
import { type AlertMessage, oneLine } from './channel.ts';

/** One line of a message: an alert, in the state of its last row. */
export interface Notice {
  readonly alert: ShownAlert;
  /** Unix seconds; null while it is open. */
  readonly resolvedAt: number | null;
  /** How often it was raised since the last message about it. */
  readonly times: number;
}

/** Telegram accepts 4096 characters. */
const MAX_TEXT = 3500;
const MAX_TITLE = 300;
const MAX_SUBJECT = 150;

const sentenceOf = createSentences(ALERT_TEXTS, (number) => groupedDigits(String(number)));

/** Returns one message about alerts, open ones first. Alerts that do not fit are only counted. */
export function composeMessage(notices: readonly Notice[], { publicUrl, nowMs }: { publicUrl: string; nowMs: number }): AlertMessage {
  const ordered = [...notices.filter(({ resolvedAt }) => resolvedAt === null), ...notices.filter(({ resolvedAt }) => resolvedAt !== null)];
  const entries = ordered.map((notice) => entryOf(notice, publicUrl, nowMs));
  const footer = `Satchel, ${publicUrl}`;
  let shown = 0;
  let length = footer.length + 100 + publicUrl.length;
  for (const { text } of entries) {
    length += text.length + 2;
    if (length > MAX_TEXT) break;
    shown += 1;
  }
  const more = entries.length - shown;
  const rest = more === 0 ? [] : [`And ${more} more: ${publicUrl}/operator`];
  const text = [...entries.slice(0, shown).map((entry) => entry.text), ...rest, footer].join('\n\n');
  const first = entries[0]?.title ?? '';
  const subject = entries.length === 1 ? first : `${entries.length} alerts. ${first}`;
  return { subject: oneLine(`[${new URL(publicUrl).host}] ${subject}`, MAX_SUBJECT), text };
}

/** Returns the message with which operators test a channel. */
export function testMessage(publicUrl: string): AlertMessage {
  const text = `This is a test message. Alerts of the service arrive here.\n\nSatchel, ${publicUrl}`;
  return { subject: `[${new URL(publicUrl).host}] A test message`, text };
}

function entryOf(
  { alert, resolvedAt, times }: Notice,
  publicUrl: string,
  nowMs: number,
): { readonly title: string; readonly text: string } {
  const { title, text, action } = sentenceOf(alert, resolvedAt === null ? nowMs : resolvedAt * 1000);
  const prefix = resolvedAt === null ? '' : 'Resolved: ';
  const suffix = times > 1 ? ` (raised ${times} times)` : '';
  const line = `${prefix}${oneLine(title, MAX_TITLE)}${suffix}`;
  if (resolvedAt !== null) return { title: line, text: line };
  const body = oneLine(text, 2 * MAX_TITLE);
  return { title: line, text: [line, body, `${action.label}: ${publicUrl}${action.href}`].filter(Boolean).join('\n') };
}
