import type { Clock } from '../../core/kernel/clock.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import type { EncryptionScheme, NostrCrypto } from '../../core/nostr/crypto-pool.ts';
import type { NostrEvent } from '../../core/nostr/event.ts';
import type { Connection, Connections } from './connections.ts';
import type { NwcError } from './errors.ts';
import { type HoldOffer, type NotificationType, offeredMethods, offeredNotifications } from './methods.ts';

/** The kinds of events (NIP-47). */
export const KINDS = {
  info: 13_194,
  request: 23_194,
  response: 23_195,
  nip04Notification: 23_196,
  notification: 23_197,
  deletion: 5,
} as const;

const NOTIFICATION_KINDS: Readonly<Record<EncryptionScheme, number>> = { nip44_v2: KINDS.notification, nip04: KINDS.nip04Notification };

/** What a response answers. */
export interface Answered {
  /** The id of the request, which begins with the id of its event. */
  readonly id: string;
  readonly method: string;
  readonly scheme: EncryptionScheme;
  readonly item?: string | undefined;
}

export type MethodOutcome = { readonly result: object } | { readonly error: NwcError };

const EVENT_ID_LENGTH = 64;

/** Builds and signs the events of the service. */
export type Responses = ReturnType<typeof createResponses>;

export interface ResponseDependencies {
  readonly connections: Connections;
  readonly crypto: NostrCrypto;
  readonly clock: Clock;
  /** Whether NIP-04 is offered beside NIP-44. */
  readonly offersNip04: boolean;
  /** Called with the method of a response, and `result` or the code of its error. */
  onResponse(method: string, code: string): void;
}

export function createResponses({ connections, crypto, clock, offersNip04, onResponse }: ResponseDependencies) {
  const now = () => unixSeconds(clock);

  return {
    /** Returns the event of a response. */
    respond(connection: Connection, { id, method, scheme, item }: Answered, outcome: MethodOutcome): Promise<NostrEvent> {
      onResponse(method, 'result' in outcome ? 'result' : outcome.error.code);
      const body =
        'result' in outcome
          ? { result_type: method, result: outcome.result }
          : { result_type: method, error: { code: outcome.error.code, message: outcome.error.message } };
      const tags = [['p', connection.clientPubkey], ['e', id.slice(0, EVENT_ID_LENGTH)], ...(item === undefined ? [] : [['d', item]])];
      return crypto.seal({
        template: { created_at: now(), kind: KINDS.response, tags },
        secretKey: connections.serviceKeyOf(connection.id),
        recipient: connection.clientPubkey,
        scheme,
        plaintext: JSON.stringify(body),
      });
    },

    /** Returns the events of a notification, in the encryption of the app's last request: one for each before the first one. */
    notify(connection: Connection, type: NotificationType, notification: object): Promise<NostrEvent[]> {
      const plaintext = JSON.stringify({ notification_type: type, notification });
      const seal = (scheme: EncryptionScheme) =>
        crypto.seal(
          {
            template: { created_at: now(), kind: NOTIFICATION_KINDS[scheme], tags: [['p', connection.clientPubkey]] },
            secretKey: connections.serviceKeyOf(connection.id),
            recipient: connection.clientPubkey,
            scheme,
            plaintext,
          },
          'later',
        );
      const offered: EncryptionScheme[] = offersNip04 ? ['nip44_v2', 'nip04'] : ['nip44_v2'];
      const used = offered.filter((scheme) => scheme === connection.scheme);
      return Promise.all((used.length > 0 ? used : offered).map(seal));
    },

    /**
     * Returns the event that says what an app can do. It does not name the app: everybody can read the event, and the owner of a key would learn
     * the address of a connection without having got the answer.
     */
    inform(connection: Connection, holds: HoldOffer): Promise<NostrEvent> {
      const { permissions } = connection;
      // A method that the node of the wallet lacks is refused.
      const offer = { permissions, ...holds };
      const notifications = offeredNotifications(offer);
      const hasNotifications = notifications.length > 0;
      const tags = [
        ['encryption', offersNip04 ? 'nip44_v2 nip04' : 'nip44_v2'],
        // Apps would take an empty list for one empty name.
        ...(hasNotifications ? [['notifications', notifications.join(' ')]] : []),
      ];
      const content = [...offeredMethods(offer), ...(hasNotifications ? ['notifications'] : [])].join(' ');
      return crypto.sign({ created_at: now(), kind: KINDS.info, tags, content }, connections.serviceKeyOf(connection.id), 'later');
    },

    /** Returns the event that withdraws the info event of a connection (NIP-09). */
    withdraw(connection: Connection, infoEventId: string | undefined): Promise<NostrEvent> {
      // The second tag covers info events of earlier processes, whose ids are not known (NIP-09).
      const tags = [
        ...(infoEventId === undefined ? [] : [['e', infoEventId]]),
        ['a', `${KINDS.info}:${connection.servicePubkey}:`],
        ['k', String(KINDS.info)],
      ];
      return crypto.sign({ created_at: now(), kind: KINDS.deletion, tags, content: '' }, connections.serviceKeyOf(connection.id));
    },
  };
}
