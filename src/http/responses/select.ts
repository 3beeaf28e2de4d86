import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { App } from '../app-type.ts';
import { SELECTABLE } from '../objects.ts';
import { SLICE_ROWS, serializeInSlices } from './slices.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Reads objects of which `fields` selects a part; {@link selectFields} alone sets it. */
    selects?: boolean;
  }
}

/**
 * Implements `fields=a,b,wal.balance` on reads of {@link SELECTABLE} objects: returns only those fields, in the requested order.
 * Serializes long lists in slices, with or without it.
 */
export function selectFields(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!readsSelectable(route)) return;
    route.config = { ...route.config, selects: true };
    const others = [route.preSerialization ?? []].flat();
    route.preSerialization = [
      ...others,
      (request, reply, payload, done) => {
        const selection = reply.statusCode < 300 ? selectionOf(request) : undefined;
        if (Array.isArray(payload) && payload.length > SLICE_ROWS) return sliceList(reply, payload, selection, done);
        if (!selection) return done(null, payload);
        // The serializer of the route would miss the fields that were not selected.
        reply.serializer(JSON.stringify);
        done(null, Array.isArray(payload) ? payload.map((item) => pick(item, selection)) : pick(payload, selection));
      },
    ];
  });
}

function sliceList(
  reply: FastifyReply,
  items: readonly unknown[],
  selection: Selection | undefined,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  const whole = reply.getSerializationFunction('200') ?? JSON.stringify;
  const serialize = selection
    ? (slice: readonly unknown[]) => JSON.stringify(slice.map((item) => pick(item, selection)))
    : (slice: readonly unknown[]) => whole(slice as unknown[]);
  serializeInSlices(items, serialize).then((body) => {
    // Fastify sends a Buffer as it is; only the type of a serializer knows nothing but text.
    reply.serializer(() => body as unknown as string);
    done(null, items);
  }, done);
}

/** Whether `fields` has a meaning for this request. */
export function isSelectable(request: FastifyRequest): boolean {
  return request.routeOptions.config?.selects === true;
}

function readsSelectable({ method, schema }: RouteOptions): boolean {
  const isRead = [method].flat().every((one) => one === 'GET' || one === 'HEAD');
  return isRead && isSelectableAnswer((schema?.response as Record<string, { items?: unknown }> | undefined)?.['200']);
}

/** Whether a response, by its schema, is a selectable object or a list of them. */
export function isSelectableAnswer(schema: { items?: unknown } | undefined): boolean {
  return SELECTABLE.has(schema?.items ?? schema);
}

function selectionOf(request: FastifyRequest): Selection | undefined {
  const { fields } = request.query as Record<string, unknown>;
  return typeof fields === 'string' && fields !== '' ? readSelection(fields) : undefined;
}

/** What to keep of an object: by name, the whole value or a part of it. */
export type Selection = Map<string, Selection | 'whole'>;

/** Reads all paths into one tree, so that each object is copied once, however many paths lead into it. */
export function readSelection(fields: string): Selection {
  const root: Selection = new Map();
  for (const field of fields.split(',')) {
    const path = field.trim().split('.');
    const last = path.pop() ?? '';
    let node: Selection | 'whole' = root;
    for (const name of path) {
      if (node === 'whole') break;
      const inner: Selection | 'whole' = node.get(name) ?? new Map();
      node.set(name, inner);
      node = inner;
    }
    if (node !== 'whole') node.set(last, 'whole');
  }
  return root;
}

/** Copies the selected fields of an object; names that it does not have are ignored. */
export function pick(from: unknown, selection: Selection): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  if (!isObject(from)) return picked;
  for (const [name, part] of selection) {
    if (!Object.hasOwn(from, name)) continue;
    const value = from[name];
    if (part === 'whole') picked[name] = value;
    else if (isObject(value)) picked[name] = pick(value, part);
  }
  return picked;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
