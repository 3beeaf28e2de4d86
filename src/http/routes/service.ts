import { Type } from 'typebox';
import type { App } from '../app-type.ts';
import { oneOf } from '../objects/response-types.ts';
import { PUBLIC } from '../openapi/route-schema.ts';

const Health = Type.Object({ status: oneOf(['ok'], { description: 'Always `ok`' }) }, { title: 'Health' });

const Readiness = Type.Object(
  {
    status: oneOf(['ready', 'not ready'], { description: '`ready` when database and node are ok' }),
    database: oneOf(['ok', 'read_only', 'unavailable'], {
      description: '`read_only`: reads work, writes failed. The service tries to write until it works',
    }),
    node: oneOf(['ok', 'unavailable'], { description: '`unavailable`: reads work, sending and new invoices are rejected with 503' }),
  },
  { title: 'Readiness' },
);

const healthSchema = {
  operationId: 'getHealth',
  tags: ['Service'],
  summary: 'Check whether the process responds',
  description: 'Reads neither the database nor the node.',
  ...PUBLIC,
  response: { 200: Health },
};

const readinessSchema = {
  operationId: 'getReadiness',
  tags: ['Service'],
  summary: 'Check whether the database and the node work',
  description: 'Returns 503 with the same body while one of them does not.',
  ...PUBLIC,
  response: { 200: Readiness, 503: Readiness },
  exampleChanges: { 503: { status: 'not ready', node: 'unavailable' } },
};

/** The state of the parts of the service. */
export interface Parts {
  /** Whether the database can be read. */
  isReadable(): Promise<boolean>;
  /** Whether its last write succeeded. */
  isWritable(): boolean;
  isNodeAvailable(): Promise<boolean>;
}

/** `healthz`: the process responds. `readyz`: the database and the node work. */
export function serviceRoutes(app: App, { isReadable, isWritable, isNodeAvailable }: Parts): void {
  app.get('/healthz', { schema: healthSchema }, async () => ({ status: 'ok' as const }));

  app.get('/readyz', { schema: readinessSchema }, async (_request, reply) => {
    const [canRead, nodeAnswers] = await Promise.all([isReadable(), isNodeAvailable()]);
    const ready = canRead && isWritable() && nodeAnswers;
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ready' : 'not ready',
      database: !canRead ? 'unavailable' : isWritable() ? 'ok' : 'read_only',
      node: nodeAnswers ? 'ok' : 'unavailable',
    });
  });
}
