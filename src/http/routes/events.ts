import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { EventType } from '../../events/event-types.ts';
import type { EventDetails } from '../../feed/details.ts';
import { type EventLog, type EventScope, type LoggedEvent, UnknownCursor } from '../../feed/log.ts';
import { cursorAt, type LogPlace } from '../../feed/place.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access } from '../auth/access.ts';
import { KeyParams } from '../fields.ts';
import { EVENT_NAMES, EventObject } from '../objects/event.ts';
import type { Objects } from '../objects/objects.ts';
import { requires } from '../openapi/route-schema.ts';
import { readPage, setNextLink } from '../responses/paging.ts';
import { mapInSlices } from '../responses/slices.ts';

const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({ maxLength: 64, description: 'Returns the events that follow the event with this id. Default: from the oldest stored' }),
  ),
  type: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: `Only events with these names, separated by commas: ${EVENT_NAMES.map((name) => `\`${name}\``).join(', ')}`,
      examples: ['wallet_receive,wallet_send'],
    }),
  ),
  'per-page': Type.Optional(Type.Integer({ minimum: 1, description: 'The number of events. Default: 50, at most 500' })),
});

const AccountEventQuery = Type.Object({
  ...EventQuery.properties,
  wallet_id: Type.Optional(Type.String({ maxLength: 128, description: 'Only events of this wallet: its id or one of its access keys' })),
});

const LIST = { tags: ['Events'], response: { 200: Type.Array(EventObject) }, errorStatuses: [410] };

const DESCRIPTION =
  'Oldest first. `Link rel=next` leads to the following events, and is present as long as there may be more: a page may be short, or empty, ' +
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
};

export interface EventRouteDependencies {
  readonly access: Access;
  readonly eventLog: EventLog;
  readonly eventDetails: (events: readonly LoggedEvent[]) => Promise<EventDetails[]>;
  readonly objects: Objects;
}

export function eventRoutes(app: App, deps: EventRouteDependencies): void {
  const { access } = deps;
  for (const base of WALLET_BASES) {
    app.get(`${base}/events`, { schema: listSchema, config: { closedQuery: true } }, async (request, reply) =>
      list(deps, request, reply, { wallet: await access.wallet(request, 'wallet_tx_read') }),
    );
  }
  app.get('/v1/events', { schema: accountListSchema, config: { closedQuery: true } }, async (request, reply) => {
    const accountId = await access.account(request);
    const { wallet_id: walletId } = request.query;
    const wallet = walletId === undefined ? undefined : await access.walletByIdOrKey(request, walletId, 'wallet_tx_read');
    // The links of the response repeat the query, and a wallet may have been named by a key.
    if (wallet) request.query.wallet_id = wallet.id;
    return list(deps, request, reply, wallet ? { wallet } : { accountId });
  });
}

async function list(
  { eventLog, eventDetails, objects }: EventRouteDependencies,
  request: FastifyRequest & { query: Static<typeof EventQuery> },
  reply: FastifyReply,
  scope: EventScope,
) {
  const types = readTypes(request.query.type);
  const { limit } = readPage(request.query);
  const { after } = request.query;
  const start = await placeOf(eventLog, scope, after);
  const part = await eventLog.read({ scope, types }, start, limit).catch((error) => throwExpired(eventLog, scope, error));
  setNextLink(request, reply, limit, part.isEnd ? undefined : cursorAt(part.upTo));
  return mapInSlices(await eventDetails(part.events), objects.event);
}

/** @throws Refusal `validation_failed` for a name that is no event. */
export function readTypes(text: string | undefined): ReadonlySet<EventType> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(EVENT_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new Refusal('validation_failed', `\`type\` must be names of events, such as wallet_receive: ${EVENT_NAMES.join(', ')}.`);
  return new Set(names as EventType[]);
}

/** Returns the place of a cursor, or the oldest place. @throws Refusal `cursor_expired` */
export async function placeOf(eventLog: EventLog, scope: EventScope, after: string | undefined): Promise<LogPlace> {
  if (after === undefined) return eventLog.oldest();
  return eventLog.placeOf(after).catch((error) => throwExpired(eventLog, scope, error));
}

async function throwExpired(eventLog: EventLog, scope: EventScope, error: unknown): Promise<never> {
  if (!(error instanceof UnknownCursor)) throw error;
  const { events } = await eventLog.read({ scope }, await eventLog.oldest(), 1);
  const oldest = events[0] ? `The oldest event is ${events[0].id}. ` : '';
  throw new Refusal('cursor_expired', `${oldest}Read from there without \`after\`; earlier events have expired.`);
}
