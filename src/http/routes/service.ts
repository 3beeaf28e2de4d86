import { Type } from 'typebox';
import type { App } from '../app-type.ts';
import { oneOf } from '../objects.ts';

const Health = Type.Object({ status: oneOf(['ok']) });

const Readiness = Type.Object({
  status: oneOf(['ready', 'not ready']),
  database: oneOf(['ok', 'read_only', 'unavailable'], '`read_only`: reads work, writes failed and are probed until they work'),
  node: oneOf(['ok', 'unavailable'], 'Without it reads work, and sends are refused with 503'),
});

/** How the parts of the service are. */
export interface Parts {
  /** Whether the database can be read. */
  isReadable(): Promise<boolean>;
  /** Whether its last write succeeded. */
  isWritable(): boolean;
  isNodeAvailable(): Promise<boolean>;
}

/** `healthz`: the process answers. `readyz`: the database and the node work. */
export function serviceRoutes(app: App, { isReadable, isWritable, isNodeAvailable }: Parts): void {
  app.get('/healthz', { schema: { response: { 200: Health } } }, async () => ({ status: 'ok' as const }));

  app.get('/readyz', { schema: { response: { 200: Readiness, 503: Readiness } } }, async (_request, reply) => {
    const [canRead, nodeAnswers] = await Promise.all([isReadable(), isNodeAvailable()]);
    const ready = canRead && isWritable() && nodeAnswers;
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ready' : 'not ready',
      database: !canRead ? 'unavailable' : isWritable() ? 'ok' : 'read_only',
      node: nodeAnswers ? 'ok' : 'unavailable',
    });
  });
}
