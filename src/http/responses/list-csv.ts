import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isJsonObject } from '../../core/kernel/json.ts';
import type { List, ListPage, ListPart } from '../../core/kernel/list.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { PER_TURN, takeTurn } from '../../core/kernel/turns.ts';
import { fieldsOf, type RouteSchema } from '../field-schema.ts';
import { choice } from '../fields.ts';
import { csvRow, sendCsvFile, withoutFormula } from './csv.ts';
import { type Selection, selectionOf } from './select.ts';

/** An item can be several kilobytes, and is serialized twice. */
const PER_READ = PER_TURN.rows / 2;

/** The query parameter of a list that is also sent as CSV. */
export const CSV_FORMAT = {
  format: Type.Optional(
    choice(['json', 'csv'], {
      description:
        '`csv` returns the whole list as CSV instead of one page of JSON; with `after`, the items that follow it. `per-page` and `count` are ' +
        'ignored. Each field of an item is a column; the fields of a nested object are prefixed with its name (`limits_max_msat`). Times, in fields ' +
        'whose names end in `_at`, are in ISO 8601. Default: `json`',
    }),
  ),
};

/** Returns whether a request asks for a list as CSV. */
export function isCsvRequest(request: FastifyRequest): boolean {
  const isOffered = Object.hasOwn(fieldsOf(request.routeOptions.schema?.querystring), 'format');
  return isOffered && (request.query as { format?: string }).format === 'csv';
}

/**
 * Sends a list as CSV, page by page, so that a response of any length occupies little memory. The first page is read before the response begins,
 * so that a wrong cursor is an error.
 */
export async function sendCsv<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: Pick<List<T>, 'readPage'>,
  render: (item: T) => object,
  { order, after }: Pick<ListPart, 'order' | 'after'>,
): Promise<FastifyReply> {
  const { schema, url = '' } = request.routeOptions;
  if ((request.query as { page?: number }).page !== undefined)
    throw new Refusal('validation_failed', 'Send either `page` or `format=csv`, not both.');
  const { 200: array } = (schema as { response: { 200: { items: RouteSchema } } }).response;
  const columns = selectedOf(columnsOf(array.items), selectionOf(request));
  // The serializer omits fields that are not in the schema, as it does for JSON.
  const serialize = reply.getSerializationFunction('200') ?? JSON.stringify;
  const readPage = (from: string | undefined): Promise<ListPage<T>> => list.readPage({ limit: PER_READ, order, after: from });
  await takeTurn();
  const first = await readPage(after);

  async function* rows(): AsyncGenerator<string> {
    yield csvRow(columns.map(({ path }) => path.join('_')));
    for (let page = first; ; page = await readPage(page.next)) {
      const objects = JSON.parse(serialize(page.items.map(render) as never)) as unknown[];
      yield objects.map((object) => csvRow(columns.map((column) => cellOf(object, column)))).join('');
      if (page.next === undefined) return;
    }
  }

  return sendCsvFile(request, reply, url.split('/').at(-1) ?? '', rows());
}

interface Column {
  readonly path: readonly string[];
  /** Whether the values are Unix seconds. */
  readonly isTime: boolean;
}

/** Returns one column per field. An object with known fields is replaced by the columns of its fields. */
function columnsOf(schema: RouteSchema, path: readonly string[] = []): Column[] {
  return Object.entries(fieldsOf(schema)).flatMap(([name, field]) => {
    const inner = columnsOf(field, [...path, name]);
    return inner.length > 0 ? inner : [{ path: [...path, name], isTime: field.type === 'integer' && name.endsWith('_at') }];
  });
}

/** Returns the columns that a request selects, in the order of the selection. @throws Refusal `validation_failed` if there are none */
function selectedOf(columns: readonly Column[], selection: Selection | undefined): readonly Column[] {
  if (!selection) return columns;
  const names = [...selection.keys()];
  const selected = columns
    .filter(({ path }) => isSelected(selection, path))
    .sort((a, b) => names.indexOf(a.path[0] ?? '') - names.indexOf(b.path[0] ?? ''));
  if (selected.length === 0) throw new Refusal('validation_failed', '`fields` must name at least one field of this list.');
  return selected;
}

function isSelected(selection: Selection, [name = '', ...inner]: readonly string[]): boolean {
  const part = selection.get(name);
  return part === 'whole' || (part !== undefined && inner.length > 0 && isSelected(part, inner));
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), object);
}

function cellOf(object: unknown, { path, isTime }: Column): string | number {
  const value = valueAt(object, path);
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return isTime ? new Date(value * 1000).toISOString() : value;
  return withoutFormula(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
