import { isEventType } from '../../../core/journal/event-types.ts';
import type { SourceWebhook } from '../source.ts';

/** A row of `integration_webhook`. */
export interface HookRow {
  readonly id: string;
  readonly url: string | null;
  /** A JSON list of names. */
  readonly events: string | null;
  readonly secret: string | null;
}

/** SQL of a JSON list of the webhooks of a user, for a database that has them. */
export function webhooksSql(userId: string): string {
  return `(SELECT json_group_array(json_object('id', h.external_hash, 'url', h.endpoint_url, 'events', h.action_name_id, 'secret', h.secret) ORDER BY h.id)
    FROM integration_webhook h WHERE h.user_id = ${userId})`;
}

/** An account has at most 20 webhooks. */
const MAX_WEBHOOKS = 20;

/** Returns the webhooks of a user that this service can serve: those with a URL and at least one event that it has. */
export function webhooksOf(rows: readonly HookRow[]): SourceWebhook[] {
  return rows.flatMap(webhookOf).slice(0, MAX_WEBHOOKS);
}

function webhookOf({ id, url, events, secret }: HookRow): SourceWebhook[] {
  const eventTypes = namesIn(events).filter(isEventType);
  if (url === null || !isHttpUrl(url) || eventTypes.length === 0) return [];
  return [{ id, url, eventTypes, secret: secret === null || secret === '' ? undefined : secret }];
}

function namesIn(json: string | null): string[] {
  const names: unknown = json === null ? [] : JSON.parse(json);
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
