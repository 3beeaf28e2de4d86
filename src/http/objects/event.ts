import { type Static, Type } from 'typebox';
import { EVENT_TYPES, type EventType } from '../../events/event-types.ts';
import type { EventDetails } from '../../feed/details.ts';
import { EXAMPLE } from '../openapi/example-values.ts';
import { LightningTransactionObject, parseObject, renderLightningTransaction } from './lightning-transaction.ts';
import { oneOf } from './response-types.ts';
import { renderWallet, WalletObject } from './wallet.ts';
import { type RenderOptions, renderWalletTransaction, WalletTransactionObject } from './wallet-transaction.ts';

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as EventType[];

export const EventObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the event, `evt_…`. Ids sort in the order of the events', examples: [EXAMPLE.event] }),
    created_at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
    event: Type.Object(
      {
        type: oneOf([...new Set(Object.values(EVENT_TYPES).map(({ category }) => category))], { description: 'What the event concerns' }),
        name: oneOf(EVENT_NAMES, { description: 'What happened; the filter `type` takes the same values' }),
        display_name: Type.String({ description: 'The name as text for people', examples: ['Wallet Receive'] }),
      },
      { description: 'What happened' },
    ),
    data: Type.Object(
      {
        wtx: Type.Optional(WalletTransactionObject),
        wal: Type.Optional(WalletObject),
        lnTx: Type.Optional(LightningTransactionObject),
        failureReason: Type.Optional(Type.String({ description: 'Why a payment failed for good', examples: ['NO_ROUTE'] })),
        passThru: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The `passThru` of a payment that failed' })),
      },
      { additionalProperties: true, description: 'The objects that the event concerns. docs/webhooks.md lists them by event' },
    ),
  },
  { title: 'Event' },
);

export function renderEvent(details: EventDetails, options: RenderOptions): Static<typeof EventObject> {
  const { event } = details;
  const { category, displayName } = EVENT_TYPES[event.type];
  return {
    id: event.id,
    created_at: Math.floor(event.createdAtMs / 1000),
    event: { type: category, name: event.type, display_name: displayName },
    data: renderData(details, options),
  };
}

function renderData({ event, wallet, transaction, invoice }: EventDetails, options: RenderOptions): Static<typeof EventObject>['data'] {
  const wtx = transaction && renderWalletTransaction(transaction, options);
  return {
    ...(wtx && { wtx }),
    ...(!event.entry && wallet && { wal: renderWallet(wallet.wallet, wallet.balance) }),
    ...(invoice && { lnTx: renderLightningTransaction(invoice, options.noKeysend) }),
    ...(event.type === 'wallet_send_failure' &&
      transaction && {
        failureReason: transaction.failureReason ?? '',
        passThru: parseObject(transaction.passThru) ?? {},
      }),
    ...event.data,
  };
}
