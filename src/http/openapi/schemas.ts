import { OWN_KEYWORDS } from '../field-schema.ts';
import type { JsonSchema } from './openapi-types.ts';

/** A schema as @fastify/swagger returns it: JSON Schema 2020-12, and the keywords of this service. */
interface RouteSchema extends Omit<JsonSchema, 'properties' | 'items' | 'anyOf' | 'additionalProperties'> {
  readonly properties?: Readonly<Record<string, RouteSchema>>;
  readonly items?: RouteSchema;
  readonly anyOf?: readonly RouteSchema[];
  readonly additionalProperties?: boolean | RouteSchema;
  /** See `oneOf` in objects/response-types.ts. */
  readonly words?: readonly unknown[];
  /** The serializer accepts null, but the value is never null. */
  readonly neverNull?: boolean;
  readonly zeroIsAbsent?: boolean;
}

const LEFT_OUT: ReadonlySet<string> = new Set([...OWN_KEYWORDS, 'words', 'neverNull', 'examples']);

/** The schemas of a document: an object schema with a title becomes a component of that name, and is written once. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the schema without the keywords of this service, and with a reference for each titled one. */
  schemaOf(schema: RouteSchema): JsonSchema {
    if (schema.title === undefined) return this.#plain(schema);
    const { title, description, ...named } = schema;
    this.#add(title, this.#plain(withoutNull(named)));
    const $ref = `#/components/schemas/${title}`;
    const text = description === undefined ? {} : { description };
    return isNullable(schema) ? { ...text, anyOf: [{ $ref }, { type: 'null' }] } : { $ref, ...text };
  }

  /** @throws when two different schemas have one title. */
  #add(title: string, schema: JsonSchema): void {
    const known = this.#schemas.get(title);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two different schemas have the title ${title}`);
    this.#schemas.set(title, schema);
  }

  #plain(schema: RouteSchema): JsonSchema {
    const {
      properties,
      items,
      anyOf,
      additionalProperties: values,
      words,
      zeroIsAbsent,
      ...rest
    } = schema.neverNull ? withoutNull(schema) : schema;
    const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, this.schemaOf(field)]);
    return {
      ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !LEFT_OUT.has(keyword))),
      ...valuesOf(schema, words),
      ...(zeroIsAbsent && { description: `${schema.description ?? ''} (0 counts as absent)`.trim() }),
      ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
      ...(items && { items: this.schemaOf(items) }),
      ...(anyOf && { anyOf: anyOf.map((one) => this.schemaOf(one)) }),
      ...(values !== undefined && { additionalProperties: typeof values === 'object' ? this.schemaOf(values) : values }),
    };
  }
}

/** Texts of responses are open, because a later version may add values, and a client must not fail at them. */
function valuesOf(schema: RouteSchema, words: readonly unknown[] | undefined): Partial<JsonSchema> {
  if (!words) return {};
  const isText = typeof words[0] === 'string';
  return isText ? { 'x-extensible-enum': words } : { enum: isNullable(schema) ? [...words, null] : words };
}

function isNullable({ type, neverNull }: RouteSchema): boolean {
  return Array.isArray(type) && type.includes('null') && !neverNull;
}

function withoutNull<T extends RouteSchema>(schema: T): T {
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const [only, ...more] = type.filter((name) => name !== 'null');
  return { ...schema, type: more.length > 0 ? [only, ...more] : only };
}
