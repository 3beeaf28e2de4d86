import { type Static, Type } from 'typebox';
import type { WithdrawalState } from '../../core/withdrawals/withdrawals.ts';
import type { App } from '../../http/app-type.ts';
import { requestBody } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import {
  changeOnce,
  NEEDS_KEY,
  OPERATOR,
  type OperatorRouteModules,
  ReasonBody,
  recordChange,
  requesterOf,
  time,
} from './operator-route.ts';

const STATE = {
  status: oneOf(['allowed', 'stopped'], {
    description: '`stopped`: no payment leaves the service. Receiving, and transfers and payments between its wallets, work',
  }),
  reason: nullable(Type.String({ description: 'Why, as the operator stated it for customers; null while withdrawals are allowed' })),
  stopped_at: time('When they were stopped; null while they are allowed'),
};

const WithdrawalsObject = namedObject('Withdrawals', STATE);

const OperatorWithdrawalsObject = namedObject('OperatorWithdrawals', {
  ...STATE,
  stopped_by: nullable(Type.String({ description: 'The operator: the e-mail, otherwise the account; null while they are allowed' })),
  num_refused: Type.Integer({ description: 'The payments that were refused since the stop, counted within a second' }),
  pending_payments: Type.Integer({ description: 'The payments that were started before and have not ended. They end normally' }),
});

const getSchema = {
  operationId: 'getWithdrawals',
  tags: ['Service'],
  summary: 'Read whether payments may leave the service',
  ...requires('any_key'),
  response: { 200: WithdrawalsObject },
};

const operatorSchema = {
  ...OPERATOR,
  operationId: 'getOperatorWithdrawals',
  summary: 'Read whether withdrawals are stopped, and by whom',
  response: { 200: OperatorWithdrawalsObject },
};

const stopSchema = {
  ...OPERATOR,
  operationId: 'stopWithdrawals',
  summary: 'Stop all payments that leave the service',
  description:
    'From its commit on, each payment over Lightning and each claim of a withdraw link is rejected with 403 `withdrawals_stopped` before money is ' +
    'held, on all instances and over all protocols. Payouts wait. Payments in flight end normally. Receiving works, and so do transfers and ' +
    'payments between wallets of the service. Customers read the reason, which a further request replaces.',
  body: ReasonBody,
  response: { 200: OperatorWithdrawalsObject },
};

const resumeSchema = {
  ...OPERATOR,
  operationId: 'resumeWithdrawals',
  summary: 'Allow payments to leave the service again',
  description: 'Payouts continue. Nothing changes if they are not stopped.',
  body: requestBody({ reason: Type.Optional(ReasonBody.properties.reason) }),
  response: { 200: OperatorWithdrawalsObject },
};

/** The switch for withdrawals: operators stop and resume them, and every key and session can read whether they are stopped. */
export function withdrawalRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, payments, withdrawals } = modules;

  async function readState(): Promise<Static<typeof OperatorWithdrawalsObject>> {
    await withdrawals.storeRefused();
    const [state, pending] = await Promise.all([withdrawals.read(), payments.countPending()]);
    return { ...render(state), stopped_by: state.stopped_by, num_refused: state.refused, pending_payments: pending };
  }

  app.get('/v1/withdrawals', { schema: getSchema }, async (request) => {
    await access.anyKey(request);
    return render(await withdrawals.read());
  });

  app.get('/v1/operator/withdrawals', { schema: operatorSchema }, async (request) => {
    await access.operator(request);
    return readState();
  });

  app.post('/v1/operator/withdrawals/stop', { schema: stopSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const requester = requesterOf(request, credential, request.body.reason);
    await changeOnce(modules, request, reply, { credential }, async (tx) => {
      const id = await recordChange(tx, modules, { ...requester, kind: 'stop_withdrawals', subject: 'service' });
      await withdrawals.stopIn(tx, { by: credential.key.accountId, reason: requester.reason });
      return id;
    });
    await modules.alerts.announce();
    return readState();
  });

  app.post('/v1/operator/withdrawals/resume', { schema: resumeSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const requester = requesterOf(request, credential, request.body.reason);
    await changeOnce(modules, request, reply, { credential }, async (tx) => {
      const id = await recordChange(tx, modules, { ...requester, kind: 'resume_withdrawals', subject: 'service' });
      await withdrawals.resumeIn(tx);
      return id;
    });
    return readState();
  });
}

function render({ stopped_at, reason }: WithdrawalState): Static<typeof WithdrawalsObject> {
  const isStopped = stopped_at !== null;
  return { status: isStopped ? 'stopped' : 'allowed', reason: isStopped ? reason : null, stopped_at };
}
