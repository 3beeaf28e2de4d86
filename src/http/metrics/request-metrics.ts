import type { App } from '../app-type.ts';
import { family, type Sample } from './exposition.ts';

/** In seconds; a payment's answer may wait for a minute. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

interface Seen {
  readonly method: string;
  /** The route's pattern: the address itself may carry keys. */
  readonly route: string;
  readonly statuses: Map<number, number>;
  /** How many took no longer than each bound, and longer than the one before; the last is for all others. */
  readonly counts: number[];
  seconds: number;
}

/** Counts what is answered from now on. There are as many labels as there are routes. @returns what was counted */
export function createRequestMetrics(app: App): () => string[] {
  const routes = new Map<string, Seen>();
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const name = `${method} ${route}`;
    let seen = routes.get(name);
    if (!seen) {
      seen = { method, route, statuses: new Map(), counts: BOUNDS.map(() => 0).concat(0), seconds: 0 };
      routes.set(name, seen);
    }
    const seconds = reply.elapsedTime / 1000;
    const bound = BOUNDS.findIndex((most) => seconds <= most);
    const place = bound < 0 ? BOUNDS.length : bound;
    seen.counts[place] = (seen.counts[place] ?? 0) + 1;
    seen.seconds += seconds;
    seen.statuses.set(reply.statusCode, (seen.statuses.get(reply.statusCode) ?? 0) + 1);
    done();
  });
  return () => [
    family('satchel_http_requests_total', 'counter', 'Answers by route and status', [...routes.values()].flatMap(answersOf)),
    family('satchel_http_request_seconds', 'histogram', 'How long answers took', [...routes.values()].flatMap(durationsOf)),
  ];
}

function answersOf({ method, route, statuses }: Seen): Sample[] {
  return [...statuses].map(([status, value]) => ({ labels: { method, route, status: String(status) }, value }));
}

function durationsOf({ method, route, counts, seconds }: Seen): Sample[] {
  let sum = 0;
  const buckets = counts.map((count, place): Sample => {
    sum += count;
    return { suffix: '_bucket', labels: { method, route, le: place < BOUNDS.length ? String(BOUNDS[place]) : '+Inf' }, value: sum };
  });
  const labels = { method, route };
  return [...buckets, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value: sum }];
}
