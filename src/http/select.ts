import type { App } from './app-type.ts';

/** `fields=a,b,wal.balance` on a read: just those, in the order asked; of every item where the answer is a list. */
export function selectFields(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const fields = (request.query as Record<string, unknown>).fields;
    if (request.method !== 'GET' || typeof fields !== 'string' || fields === '') return done(null, payload);
    if (reply.statusCode >= 400 || typeof payload !== 'string' || request.routeOptions.config.lnurl) return done(null, payload);
    if (!String(reply.getHeader('content-type')).startsWith('application/json')) return done(null, payload);
    const paths = fields.split(',').map((field) => field.trim().split('.'));
    const answer: unknown = JSON.parse(payload);
    const text = JSON.stringify(Array.isArray(answer) ? answer.map((item) => pick(item, paths)) : pick(answer, paths));
    // Fastify has measured the full answer.
    reply.removeHeader('content-length');
    done(null, text);
  });
}

/** Keeps the paths of an object; names that it does not have are ignored. */
export function pick(from: unknown, paths: readonly (readonly string[])[]): unknown {
  const picked: Record<string, unknown> = {};
  for (const [name, ...rest] of paths) {
    if (name === undefined || !isObject(from) || !Object.hasOwn(from, name)) continue;
    const value = from[name];
    if (rest.length === 0) picked[name] = value;
    else if (isObject(value)) picked[name] = { ...(isObject(picked[name]) ? picked[name] : {}), ...(pick(value, [rest]) as object) };
  }
  return picked;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
