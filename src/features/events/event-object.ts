import { type Static, Type } from 'typebox';
import { EVENT_NAMES, EVENT_TYPES } from '../../core/journal/event-types.ts';
import { oneOf } from '../../http/responses/response-types.ts';
import { KeyObject } from '../keys/key-object.ts';
import { LightningTransactionObject, parseObject, renderLightningTransaction } from '../transactions/lightning-transaction-object.ts';
import { type RenderOptions, renderWalletTransaction, WalletTransactionObject } from '../transactions/wallet-transaction-object.ts';
import { renderWallet, WalletObject } from '../wallets/wallet-object.ts';
import type { EventDetails } from './details.ts';

export const EventObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the event, `evt_…`. Ids sort in the order of the events' }),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    event: Type.Object(
      {
        type: oneOf([...new Set(Object.values(EVENT_TYPES).map(({ category }) => category))], { description: 'What the event concerns' }),
        name: oneOf(EVENT_NAMES, { description: 'What happened; the filter `type` takes the same values' }),
        display_name: Type.String({ description: 'The name as text for people' }),
      },
      { description: 'What happened' },
    ),
    data: Type.Object(
      {
        wtx: Type.Optional(WalletTransactionObject),
        wal: Type.Optional(WalletObject),
        lnTx: Type.Optional(LightningTransactionObject),
        failureReason: Type.Optional(Type.String({ description: 'Why a payment failed for good' })),
        passThru: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The `passThru` of a payment that failed' })),
        correction: Type.Optional(
          oneOf(['charged', 'borne'], {
            description:
              'How a payment was corrected that succeeded after it was reported as failed: charged to the wallet, or borne by the operator',
          }),
        ),
        withdraw_link: Type.Optional(
          Type.Object(
            {
              id: Type.String({ description: 'The id of the link, `lnurlw_…`' }),
              user_label: Type.Optional(Type.String({ description: 'The label of the link for its owner' })),
            },
            { description: 'The withdraw link that was claimed' },
          ),
        ),
        key: Type.Optional(
          Type.Object(
            {
              id: KeyObject.properties.id,
              kind: KeyObject.properties.kind,
              wallet_id: KeyObject.properties.wallet_id,
              label: KeyObject.properties.label,
              hint: KeyObject.properties.hint,
            },
            { description: 'The key that was created or revoked, without its secret' },
          ),
        ),
        alert: Type.Optional(
          Type.Object(
            {
              id: Type.String({ description: 'The id of the alert, `alert_…`' }),
              kind: Type.String({ description: 'The kind of the alert: docs/operations.md lists them' }),
              subject: Type.String({ description: 'The id of the object that the alert is about' }),
              message: Type.String({ description: 'What happened' }),
              raised_at: Type.Integer({ description: 'Unix seconds' }),
              resolved_at: Type.Optional(Type.Integer({ description: 'Unix seconds; only when the alert is resolved' })),
            },
            { description: 'The alert that was raised or resolved' },
          ),
        ),
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
    ...(wallet && { wal: renderWallet(wallet.wallet, wallet.balance) }),
    ...(invoice && { lnTx: renderLightningTransaction(invoice, options.noKeysend) }),
    ...(event.type === 'wallet_send_failure' &&
      transaction && {
        failureReason: transaction.failureReason ?? '',
        passThru: parseObject(transaction.passThru) ?? {},
      }),
    ...event.data,
  };
}
