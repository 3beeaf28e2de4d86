import type { FastifyRequest, RouteOptions } from 'fastify';
import { isJsonObject } from '../../core/kernel/json.ts';
import type { App } from '../app-type.ts';

const selectableSchemas = new WeakSet<object>();

/** Marks the schema of an object: the query parameter `fields` selects a part of such an object, alone or in a list. */
export function selectable<T extends object>(schema: T): T {
  selectableSchemas.add(schema);
  return schema;
}

/**
 * Implements `fields=a,b,wal.balance` on reads of {@link selectable} objects: the response has only those fields, in the requested order.
 */
export function selectFields(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!isSelectableRoute(route)) return;
    const others = [route.preSerialization ?? []].flat();
    route.preSerialization = [
      ...others,
      (request, reply, payload, done) => {
        const selection = reply.statusCode < 300 ? selectionOf(request) : undefined;
        if (!selection) return done(null, payload);
        // The serializer of the route requires all fields.
        reply.serializer(JSON.stringify);
        done(null, Array.isArray(payload) ? payload.map((item) => pick(item, selection)) : pick(payload, selection));
      },
    ];
  });
}

/** Returns whether the responses of a route can be reduced with `fields`. */
export function isSelectableRoute({ method, schema }: RouteOptions): boolean {
  const isRead = [method].flat().every((one) => one === 'GET' || one === 'HEAD');
  return isRead && isSelectableAnswer((schema?.response as Record<string, { items?: unknown }> | undefined)?.['200']);
}

/** Returns whether a response schema is a selectable object or a list of them. */
export function isSelectableAnswer(schema: { items?: unknown } | undefined): boolean {
  const object = schema?.items ?? schema;
  return typeof object === 'object' && selectableSchemas.has(object);
}

/** Returns the fields that a request selects; undefined for all. */
export function selectionOf(request: FastifyRequest): Selection | undefined {
  const { fields } = request.query as Record<string, unknown>;
  return typeof fields === 'string' && fields !== '' ? readSelection(fields) : undefined;
}

/** The selected fields of an object: whole values, or selections of nested objects. */
export type Selection = Map<string, Selection | 'whole'>;

/** Parses all paths into one tree, so that each nested object is copied once. */
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

/** Copies the selected fields of an object. Unknown names are ignored. */
export function pick(from: unknown, selection: Selection): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  if (!isJsonObject(from)) return picked;
  for (const [name, part] of selection) {
    if (!Object.hasOwn(from, name)) continue;
    const value = from[name];
    if (part === 'whole') picked[name] = value;
    else if (isJsonObject(value)) picked[name] = pick(value, part);
  }
  return picked;
}
