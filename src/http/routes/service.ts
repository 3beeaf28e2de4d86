import { Type } from 'typebox';
import type { App } from '../app-type.ts';

const Health = Type.Object({ status: Type.String() });

const Readiness = Type.Object({
  status: Type.String({ description: 'ready or not ready' }),
  database: Type.String({ description: 'ok or unavailable' }),
  node: Type.String({ description: 'ok or unavailable; without it reads work, and sends are refused with 503' }),
});

/** `healthz`: the process answers. `readyz`: so do the database and the node. */
export function serviceRoutes(app: App, up: { database(): Promise<boolean>; node(): Promise<boolean> }): void {
  app.get('/healthz', { schema: { response: { 200: Health } } }, async () => ({ status: 'ok' }));

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
