import { type Static, Type } from 'typebox';
import { ALERT_STATES, type Alert, describeKind } from '../../core/alerts/alerts.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice } from '../../http/fields.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import {
  changeOnce,
  idParams,
  NEEDS_KEY,
  OPERATOR,
  type OperatorRouteModules,
  ReasonBody,
  recordChange,
  requesterOf,
} from './operator-route.ts';

const AlertObject = namedObject('Alert', {
  id: Type.String({ description: 'The id of the alert' }),
  kind: Type.String({ description: 'The kind; docs/operations.md describes each' }),
  subject: Type.String({ description: 'What it is about: the id of a payment, an invoice or a node' }),
  status: oneOf(['open', 'resolved'], { description: '`resolved`: its cause is gone, or an operator closed it' }),
  message: Type.String({ description: 'What happened' }),
  meaning: Type.String({ description: 'What alerts of this kind mean' }),
  remedy: Type.String({ description: 'What the operator should do' }),
  raised_at: Type.Integer({ description: 'Unix seconds' }),
  last_seen_at: Type.Integer({ description: 'When its cause was last found, in Unix seconds' }),
  resolved_at: nullable(Type.Integer({ description: 'Unix seconds; null while it is open' })),
  closed_by: nullable(Type.String({ description: 'The operator who closed it; null if it is open or its cause went away' })),
  close_reason: nullable(Type.String({ description: 'Why, as the operator stated it' })),
});

const listSchema = {
  ...OPERATOR,
  operationId: 'listAlerts',
  summary: 'List alerts',
  description: 'Newest first.',
  querystring: Type.Object({
    ...ListQuery.properties,
    status: Type.Optional(choice(ALERT_STATES, { description: 'Which alerts. Default: `open`' })),
  }),
  response: { 200: Type.Array(AlertObject) },
};

const closeSchema = {
  ...OPERATOR,
  operationId: 'closeAlert',
  summary: 'Close an alert',
  description:
    'For alerts that only an operator can close. An alert whose cause persists opens again. 409 `action_refused`: it is closed already. ' +
    'The caller and the reason are stored with it.',
  params: idParams('alert'),
  body: ReasonBody,
  response: { 200: AlertObject },
  errorStatuses: [409],
};

/** Alerts: operators list them, and close those that nothing else closes. */
export function alertRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, alerts } = modules;

  app.get('/v1/operator/alerts', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    const { status = 'open' } = request.query;
    return sendList(request, reply, alerts.list(status), renderAlert);
  });

  app.post('/v1/operator/alerts/:id/close', { schema: closeSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id } = request.params;
    const requester = requesterOf(request, credential, request.body.reason);
    const { kind: target } = requireFound(await alerts.find(id));
    await changeOnce(modules, request, reply, { credential, objectId: id }, async (tx) => {
      if (!(await alerts.closeIn(tx, id, requester.requestedBy, requester.reason)))
        throw new Refusal('action_refused', 'The alert is closed already.');
      await recordChange(tx, modules, { ...requester, kind: 'close_alert', subject: id, target });
      return id;
    });
    return renderAlert(requireFound(await alerts.find(id)));
  });
}

function renderAlert({ cleared_at, ...alert }: Alert): Static<typeof AlertObject> {
  const status = cleared_at === null ? 'open' : 'resolved';
  return { ...alert, ...describeKind(alert.kind), status, resolved_at: cleared_at };
}
