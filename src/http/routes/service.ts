import { Type } from 'typebox';
import type { App } from '../app-type.ts';
import { oneOf } from '../objects.ts';

const Health = Type.Object({ status: oneOf(['ok']) });

const Readiness = Type.Object({
  status: oneOf(['ready', 'not ready']),
  database: oneOf(['ok', 'unavailable']),
  node: oneOf(['ok', 'unavailable'], 'Without it reads work, and sends are refused with 503'),
});

/** `healthz`: the process answers. `readyz`: so do the database and the node. */
export function serviceRoutes(app: App, up: { database(): Promise<boolean>; node(): Promise<boolean> }): void {
  app.get('/healthz', { schema: { response: { 200: Health } } }, async () => ({ status: 'ok' as const }));

  app.get('/readyz', { schema: { response: { 200: Readiness, 503: Readiness } } }, async (_request, reply) => {
    const [databaseAnswers, nodeAnswers] = await Promise.all([up.database(), up.node()]);
    const ready = databaseAnswers && nodeAnswers;
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ready' : 'not ready',
      database: databaseAnswers ? 'ok' : 'unavailable',
      node: nodeAnswers ? 'ok' : 'unavailable',
    });
  });
}
