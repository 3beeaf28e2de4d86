import { Type } from 'typebox';
import { ALERT_STATES } from '../../core/alerts/alerts.ts';
import { mapList } from '../../core/kernel/list.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice } from '../../http/fields.ts';
import { CsvListQuery, sendList } from '../../http/responses/list.ts';
import { AlertObject, renderAlerts } from './alert-object.ts';
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

const listSchema = {
  ...OPERATOR,
  operationId: 'listAlerts',
  summary: 'List alerts',
  description: 'Newest first.',
  querystring: Type.Object({
    ...CsvListQuery.properties,
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
    const list = mapList(alerts.list(status), (items) => renderAlerts(modules, items));
    return sendList(request, reply, list, (alert) => alert);
  });

  app.post('/v1/operator/alerts/:id/close', { schema: closeSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id } = request.params;
    const requester = requesterOf(request, credential, request.body.reason);
    const { kind: target } = requireFound(await alerts.find(id));
    if (target === 'withdrawals_stopped')
      throw new Refusal('action_refused', 'The alert closes when withdrawals are resumed. Resume them instead.');
    await changeOnce(modules, request, reply, { credential, objectId: id }, async (tx) => {
      if (!(await alerts.closeIn(tx, id, requester.requestedBy, requester.reason)))
        throw new Refusal('action_refused', 'The alert is closed already.');
      await recordChange(tx, modules, { ...requester, kind: 'close_alert', subject: id, target });
      return id;
    });
    const [closed] = await renderAlerts(modules, [requireFound(await alerts.find(id))]);
    return requireFound(closed);
  });
}
