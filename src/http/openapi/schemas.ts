import { OWN_KEYWORDS, type RouteSchema } from '../field-schema.ts';
import type { JsonSchema } from './openapi-types.ts';

/** The schemas of a document: an object schema with a title becomes a component of that name, and is written once. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the schema without the keywords of routes, and with a reference for each titled one. */
  schemaOf(schema: RouteSchema): JsonSchema {
    const { title, description, ...named } = schema;
    if (title === undefined) return this.#plain(schema);
    this.#add(title, this.#plain({ ...named, nullable: false }));
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
    const { type, properties, items, anyOf, additionalProperties, patternProperties, words, nullable, ...rest } = schema;
    const values = additionalProperties ?? Object.values(patternProperties ?? {})[0];
    const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, this.schemaOf(field)]);
    return {
      ...(typeof type === 'string' && { type: isNullable(schema) ? [type, 'null'] : type }),
      ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !OWN_KEYWORDS.includes(keyword))),
      ...valuesOf(schema, words),
      ...(schema.zeroIsAbsent && { description: `${schema.description ?? ''} (0 counts as absent)`.trim() }),
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

function isNullable({ nullable, neverNull }: RouteSchema): boolean {
  return nullable === true && !neverNull;
}
