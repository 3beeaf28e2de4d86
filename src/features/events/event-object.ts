import { type Static, Type } from 'typebox';
import type { LoggedEvent } from '../../core/journal/event-log.ts';
import { EVENT_NAMES, EVENT_TYPES } from '../../core/journal/event-types.ts';
import { oneOf } from '../../http/responses/response-types.ts';
import { KeyObject } from '../keys/key-object.ts';
import { LightningTransactionObject } from '../transactions/lightning-transaction-object.ts';
import { WalletTransactionObject } from '../transactions/wallet-transaction-object.ts';
import { WalletObject } from '../wallets/wallet-object.ts';

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

type EventData = Static<typeof EventObject>['data'];

/** The objects that an event concerns. */
export interface ShownObjects {
  readonly wtx: EventData['wtx'] | undefined;
  readonly wal: EventData['wal'] | undefined;
  readonly lnTx: EventData['lnTx'] | undefined;
}

export function renderEvent({ id, type, createdAtMs, data }: LoggedEvent, { wtx, wal, lnTx }: ShownObjects): Static<typeof EventObject> {
  const { category, displayName } = EVENT_TYPES[type];
  return {
    id,
    created_at: Math.floor(createdAtMs / 1000),
    event: { type: category, name: type, display_name: displayName },
    data: {
      ...(wtx && { wtx }),
      ...(wal && { wal }),
      ...(lnTx && { lnTx }),
      ...(type === 'wallet_send_failure' && wtx && { failureReason: wtx.failure_reason ?? '', passThru: wtx.passThru }),
      ...data,
    },
  };
}
