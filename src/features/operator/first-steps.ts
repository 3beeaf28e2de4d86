import { type Static, Type } from 'typebox';
import { operatorGuards } from '../../core/accounts/directory.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { App } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { requestBody } from '../../http/fields.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import * as sql from './first-steps.sql.ts';
import { OPERATOR } from './operator-route.ts';

/** On a test network. */
const PLAYGROUND_STEPS = ['wallet', 'receive', 'send', 'address', 'key', 'webhook', 'backup'] as const;
/** With real money, the backup comes before sending. */
const NODE_STEPS = ['node', 'wallet', 'receive', 'backup', 'send', 'address', 'key', 'webhook'] as const;

const FirstStepsObject = namedObject('FirstSteps', {
  is_hidden: Type.Boolean({ description: 'Whether the operator has hidden the list' }),
  has_playground: Type.Boolean({ description: 'Whether a node is in a test network with the routes under `/playground`' }),
  wallet_id: nullable(Type.String({ description: 'The first wallet of the account; null if it has none' })),
  address_domain: Type.String({ description: 'The domain of Lightning addresses' }),
  steps: Type.Array(
    Type.Object({
      step: oneOf(NODE_STEPS, { description: 'What is done in the step' }),
      is_done: Type.Boolean({ description: 'Whether it is done, in the dashboard or through the API' }),
    }),
    { description: 'In the order in which they are suggested' },
  ),
});

const readSchema = {
  ...OPERATOR,
  operationId: 'getFirstSteps',
  summary: 'Read the first steps of a new service',
  description: 'Which steps the account of the operator has done. They are recognized from what the account has.',
  response: { 200: FirstStepsObject },
};

const changeSchema = {
  ...OPERATOR,
  operationId: 'changeFirstSteps',
  summary: 'Hide or show the first steps',
  description: 'For the account of the operator, in all browsers.',
  body: requestBody({ is_hidden: Type.Boolean({ description: 'Whether the dashboard leaves them out' }) }),
  response: { 200: FirstStepsObject },
};

interface FirstStepsContext {
  readonly access: Access;
  readonly database: Database;
  readonly connections: NodeConnections;
  readonly playground?: object | undefined;
  readonly addressDomains: readonly string[];
  /** The time of the last backup in Unix seconds; 0 if there is none. */
  readonly lastBackupAt: () => Promise<number>;
}

/** The checklist of a new service. */
export function firstStepRoutes(app: App, context: FirstStepsContext): void {
  const { access, database } = context;

  app.get('/v1/operator/first-steps', { schema: readSchema }, async (request) => {
    const { key } = await access.operator(request);
    return readFirstSteps(context, key.accountId);
  });

  app.patch('/v1/operator/first-steps', { schema: changeSchema }, async (request) => {
    const { key } = await access.operator(request);
    const value = String(request.body.is_hidden);
    await database.transaction(async (tx) => {
      await requireGuards(tx, operatorGuards(key));
      await tx.run(writeFact, hiddenFact(key.accountId), value);
    });
    return readFirstSteps(context, key.accountId);
  });
}

function hiddenFact(accountId: string): string {
  return `first_steps_hidden ${accountId}`;
}

async function readFirstSteps(
  { database, connections, playground, addressDomains, lastBackupAt }: FirstStepsContext,
  accountId: string,
): Promise<Static<typeof FirstStepsObject>> {
  const done = await database.first(sql.readDone, accountId);
  const isHidden = (await database.first(readFact, hiddenFact(accountId)))?.value === 'true';
  const isDone: Readonly<Record<(typeof NODE_STEPS)[number], boolean>> = {
    node: connections.all.some((one) => one.wasReached()),
    wallet: done?.wallet_id != null,
    receive: done?.received === 1,
    send: done?.sent === 1,
    address: done?.address === 1,
    key: (done?.key ?? 0) > 0,
    webhook: done?.webhook === 1,
    backup: (await lastBackupAt()) > 0,
  };
  return {
    is_hidden: isHidden,
    has_playground: playground !== undefined,
    wallet_id: done?.wallet_id ?? null,
    address_domain: addressDomains[0] ?? '',
    steps: (playground ? PLAYGROUND_STEPS : NODE_STEPS).map((step) => ({ step, is_done: isDone[step] })),
  };
}
