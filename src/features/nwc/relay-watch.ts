import type { SqlReader } from '../../core/db/database.ts';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { pause, unixSeconds } from '../../core/kernel/clock.ts';
import { isJsonObject, parseJson } from '../../core/kernel/json.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { RelayFilter } from '../../core/nostr/relay.ts';
import { KINDS } from './responses.ts';
import type { Serving } from './serving.ts';

/** A relay that does not serve the subscription and has sent nothing for so long raises an alert: before it has stalled for a minute. */
const AWAY_SECONDS = 45;
const CHECK_MS = 5000;
/** Events of so long before the last connection are read again: clocks differ, and the last look may have missed some. */
const OVERLAP_SECONDS = 600;
const ALERT = 'relay_unavailable';

/** When each relay was last subscribed, JSON of Unix seconds by URL. */
const FACT = 'nwc_relays_seen';

/** When relays were last subscribed, Unix seconds by URL: events since then were not read. */
export type SeenRelays = Map<string, number>;

export async function readSeenRelays(database: SqlReader): Promise<SeenRelays> {
  const stored = await database.first(readFact, FACT);
  const value = stored && parseJson(stored.value);
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

/** Returns the filters for the requests of all connections that use a relay. Requests of a time when it was not subscribed are included. */
export function requestFilters(
  { served, modules: { clock }, maxAgeSeconds }: Pick<Serving, 'served' | 'modules' | 'maxAgeSeconds'>,
  url: string,
  seen: SeenRelays,
): RelayFilter[] {
  const keys = served.ofRelay(url).map(({ connection }) => connection.servicePubkey);
  if (keys.length === 0) return [];
  const now = unixSeconds(clock);
  const since = Math.max((seen.get(url) ?? now) - OVERLAP_SECONDS, now - maxAgeSeconds);
  return [{ kinds: [KINDS.request], '#p': keys, since }];
}

/** Stores when relays were subscribed, and raises an alert for each that is away or refuses events, until the signal aborts. */
export async function watchRelays(
  { modules, pool, signal, timing }: Serving,
  seen: SeenRelays,
  everyRound: () => Promise<void>,
): Promise<void> {
  const { database, alerts, clock, log } = modules;
  const awaySeconds = timing?.awaySeconds ?? AWAY_SECONDS;
  /** When each relay has last sent something on a subscription of this process, or was first looked at. */
  const served = new Map<string, number>();
  while (!signal.aborted) {
    try {
      const now = unixSeconds(clock);
      const open = new Set(await alerts.openSubjects(ALERT));
      for (const { url, status, isSubscribed, refusal } of pool.statuses()) {
        if (isSubscribed) seen.set(url, now);
        // A relay may accept connections without answering, or stop answering on one.
        const since = (isSubscribed ? status.heardAt : served.get(url)) ?? now;
        served.set(url, since);
        const reason = isSubscribed ? refusal && `refuses events: ${refusal}` : now - since > awaySeconds && awayText(status);
        if (reason) {
          const details = { name: new URL(url).host, reason, since: isSubscribed ? undefined : since };
          await alerts.raise({ kind: ALERT, subject: url, message: `The relay ${url} ${reason}.`, details });
        } else if (isSubscribed && open.has(url)) await alerts.clear(ALERT, url);
        open.delete(url);
      }
      // Relays that no connection uses any more.
      for (const url of open) await alerts.clear(ALERT, url);
      await database.transaction((tx) => tx.run(writeFact, FACT, JSON.stringify(Object.fromEntries(seen))));
      await everyRound();
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'the state of the relays was not stored');
    }
    await pause(timing?.checkMs ?? CHECK_MS, signal);
  }
}

function awayText({ lastError }: { readonly lastError: string | undefined }): string {
  return `does not serve the subscription${lastError === undefined ? '' : `: ${lastError}`}`;
}
