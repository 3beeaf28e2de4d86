import { type Static, Type } from 'typebox';
import { type Alert, describeKind } from '../../core/alerts/alerts.ts';
import { nullable, oneOf } from '../../http/responses/response-types.ts';

export const AlertObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the alert' }),
    kind: Type.String({ description: 'The kind; docs/operations.md describes each' }),
    subject: Type.String({
      description: 'What it is about: the id of a payment, an invoice or a node',
    }),
    status: oneOf(['open', 'resolved'], { description: '`resolved`: its cause is gone, or an operator closed it' }),
    message: Type.String({
      description: 'What happened',
    }),
    meaning: Type.String({
      description: 'What alerts of this kind mean',
    }),
    remedy: Type.String({ description: 'What the operator should do' }),
    raised_at: Type.Integer({ description: 'Unix seconds' }),
    last_seen_at: Type.Integer({ description: 'When its cause was last found, in Unix seconds' }),
    resolved_at: nullable(Type.Integer({ description: 'Unix seconds; null while it is open' })),
    closed_by: nullable(
      Type.String({
        description: 'The operator who closed it; null if it is open or its cause went away',
      }),
    ),
    close_reason: nullable(Type.String({ description: 'Why, as the operator stated it' })),
  },
  { title: 'Alert' },
);

export function renderAlert({ cleared_at, ...alert }: Alert): Static<typeof AlertObject> {
  const status = cleared_at === null ? 'open' : 'resolved';
  return { ...alert, ...describeKind(alert.kind), status, resolved_at: cleared_at };
}
