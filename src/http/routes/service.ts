import { Type } from 'typebox';
import type { App } from '../app-type.ts';

const Health = Type.Object({ status: Type.String() });

/** `healthz`: the process answers. `readyz`: so do the database and the node. */
export function serviceRoutes(app: App, deps: { isReady: () => Promise<boolean> }): void {
  app.get('/healthz', { schema: { response: { 200: Health } } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { response: { 200: Health, 503: Health } } }, async (_request, reply) => {
    const ready = await deps.isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
}
