import { beginRequestSpan, endRequestSpan } from '../core/kernel/tracing.ts';
import type { App } from './app-type.ts';

/** Makes each request a span, which continues the trace in its header `traceparent`. */
export function traceRequests(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request.raw;
    // The route's pattern, because a URL may contain keys.
    const route = request.routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    request.span = beginRequestSpan(`${method} ${route}`, attributes, headers.traceparent);
    done();
  });
  app.addHook('onResponse', ({ span }, reply, done) => {
    if (span) endRequestSpan(span, reply.statusCode);
    done();
  });
}
