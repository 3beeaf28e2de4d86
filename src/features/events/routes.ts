import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  cursorAt,
  END,
  type EventLog,
  type EventScope,
  type LoggedEvent,
  type EventQuery as LogQuery,
  UnknownCursor,
} from '../../core/journal/event-log.ts';
import { EVENT_NAMES } from '../../core/journal/event-types.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { accountScope, walletFilter } from '../../http/auth/account-scope.ts';
import { choice, eventTypes, KeyParams } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { readPage, sendPart } from '../../http/responses/list.ts';
import { CSV_FORMAT, isCsvRequest, sendCsv } from '../../http/responses/list-csv.ts';
import { createEventTexts, eventFrames } from './event-frames.ts';
import { EventObject } from './event-object.ts';
import type { Feed } from './feed.ts';
import { type Streams, wantsStream } from './streams.ts';

const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Returns the events that follow the event with this id. Default: from the oldest stored; in a stream, only new events',
    }),
  ),
  type: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: `Only events with these names, separated by commas: ${EVENT_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    }),
  ),
  'per-page': Type.Optional(Type.Integer({ minimum: 1, description: 'The number of events. Default: 50, at most 100' })),
  order: Type.Optional(choice(['asc', 'desc'], { description: 'Default: `asc`, oldest first. A stream is always oldest first' })),
  ...CSV_FORMAT,
});

const AccountEventQuery = Type.Object({
  ...EventQuery.properties,
  wallet_id: walletFilter('events'),
});

const STREAM =
  'With `Accept: text/event-stream`: a stream that stays open. Each event has its id as `id`, its name as `event` and the object as `data`. It ' +
  'begins after the header `Last-Event-ID` or after `after`; without them it has only new events.';

const LIST = { tags: ['Events'], response: { 200: Type.Array(EventObject) }, errorStatuses: [410], eventStream: STREAM };

const DESCRIPTION =
  'Oldest first, or with `order=desc` newest first. `Link rel=next` leads to the following events, and is present as long as there may be more: a page may be short, or empty, ' +
  'before the end. Wallets are shown as they are when the event is read, everything else as it was when the event happened.';

const listSchema = {
  ...LIST,
  operationId: 'listWalletEvents',
  summary: 'List the events of a wallet',
  description: DESCRIPTION,
  ...requires('wallet_tx_read'),
  params: KeyParams,
  querystring: EventQuery,
};

const accountListSchema = {
  ...LIST,
  operationId: 'listEvents',
  summary: 'List the events of the account',
  description: DESCRIPTION,
  ...requires('account'),
  querystring: AccountEventQuery,
  errorStatuses: [404, 410],
};

export interface EventRouteDependencies {
  readonly access: Access;
  readonly feed: Feed;
  readonly eventLog: EventLog;
  readonly renderEvents: (events: readonly LoggedEvent[]) => Promise<Static<typeof EventObject>[]>;
  readonly streams: Streams;
}

type EventRequest = FastifyRequest & { query: Static<typeof EventQuery> };
type RequestScope = Exclude<EventScope, 'all'>;

export function eventRoutes(app: App, { access, feed, eventLog, renderEvents, streams }: EventRouteDependencies): void {
  const eventTexts = createEventTexts(renderEvents);

  for (const base of WALLET_BASES) {
    app.get(`${base}/events`, { schema: listSchema, config: { closedQuery: true } }, async (request, reply) =>
      send(request, reply, async () => ({ walletId: (await access.wallet(request, 'wallet_tx_read')).id })),
    );
  }
  app.get('/v1/events', { schema: accountListSchema, config: { closedQuery: true } }, async (request, reply) =>
    send(request, reply, async () => {
      const scope = await accountScope(access, request);
      return 'wallet' in scope ? { walletId: scope.wallet.id } : scope;
    }),
  );

  /** `authorize` returns what the key may read. */
  async function send(request: EventRequest, reply: FastifyReply, authorize: () => Promise<RequestScope>) {
    const scope = await authorize();
    const { type, after, order = 'asc' } = request.query;
    const names = type?.split(',').map((name) => name.trim());
    const types = names && new Set(eventTypes('type', names));
    if (!wantsStream(request)) return sendPage(request, reply, { scope, types, order });
    const resumed = lastEventId(request) ?? after;
    const position = resumed === undefined ? undefined : await positionInLog(scope, resumed);
    return streams.send(request, reply, {
      frames: (signal) => eventFrames({ feed, eventLog, eventTexts }, { scope, types, after: position }, signal),
      isAllowed: () => isStillAllowed(request, authorize),
    });
  }

  async function sendPage(request: EventRequest, reply: FastifyReply, query: LogQuery) {
    const { after } = request.query;
    if (isCsvRequest(request)) {
      const { order = 'asc' } = query;
      return sendCsv(request, reply, { readPage: (part) => readPart(query, part) }, (event: object) => event, { order, after });
    }
    const { limit } = readPage(request.query);
    await takeTurn();
    const { items, next } = await readPart(query, { limit, after });
    return sendPart(request, reply, { objects: items, limit, next });
  }

  async function readPart(query: LogQuery, { limit, after }: { readonly limit: number; readonly after?: string | undefined }) {
    const beginning = async () => (query.order === 'desc' ? END : eventLog.oldest());
    const start = after === undefined ? await beginning() : await positionOf(query.scope, after);
    const part = await eventLog.read(query, start, limit).catch((error) => throwExpired(query.scope, error));
    return { items: await renderEvents(part.events), next: part.isEnd ? undefined : cursorAt(part.next) };
  }

  /** Returns the position of a cursor from which a stream can continue. @throws Refusal `cursor_expired` */
  async function positionInLog(scope: EventScope, cursor: string): Promise<number> {
    const position = await positionOf(scope, cursor);
    if (position < (await eventLog.oldest())) await throwExpired(scope, new UnknownCursor('the cursor has expired'));
    return position;
  }

  /** @throws Refusal `cursor_expired` */
  async function positionOf(scope: EventScope, cursor: string): Promise<number> {
    return eventLog.positionOf(cursor).catch((error) => throwExpired(scope, error));
  }

  async function throwExpired(scope: EventScope, error: unknown): Promise<never> {
    if (!(error instanceof UnknownCursor)) throw error;
    const { events } = await eventLog.read({ scope }, await eventLog.oldest(), 1);
    const oldest = events[0] ? `The oldest event is ${events[0].id}. ` : '';
    throw new Refusal('cursor_expired', `${oldest}Read from there without \`after\`; earlier events have expired.`);
  }
}

/** A browser sends this header when it connects again. */
function lastEventId({ headers }: FastifyRequest): string | undefined {
  const header = headers['last-event-id'];
  return typeof header === 'string' && header !== '' ? header : undefined;
}

/** Checks the key of a stream again. */
async function isStillAllowed(request: FastifyRequest, authorize: () => Promise<unknown>): Promise<boolean> {
  request.credential = undefined;
  return authorize().then(
    () => true,
    // While the database cannot be read, nothing is sent either.
    (error) => !(error instanceof Refusal),
  );
}
