import { descriptionOf } from './descriptions.ts';
import type { JsonSchema } from './openapi-types.ts';

/** A schema as routes write it: TypeBox, with this service's own `nullable`, `neverNull`, `words` and `zeroIsAbsent`. */
export interface RouteSchema {
  readonly type?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  /** The serializer takes null, but there is none. */
  readonly neverNull?: boolean;
  /** What an answer's field can be; the serializer does not look at it. */
  readonly words?: readonly unknown[];
  readonly zeroIsAbsent?: boolean;
  readonly mayBeEmpty?: boolean;
  readonly clearable?: boolean;
  readonly unit?: string;
  readonly rule?: string;
  readonly properties?: Record<string, RouteSchema>;
  readonly patternProperties?: Record<string, RouteSchema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: RouteSchema;
  readonly anyOf?: readonly RouteSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

/** Schemas that have a name in the description: found by what they say, because TypeBox and `nullable` copy them. */
export class NamedSchemas {
  readonly #names = new Map<string, string>();
  readonly #schemas = new Map<string, RouteSchema>();

  /** @throws when another schema has that name. */
  add(name: string, schema: RouteSchema): void {
    const text = identity(schema);
    const other = this.#schemas.get(name);
    if (other && identity(other) !== text) throw new Error(`two different schemas are called ${name}`);
    this.#names.set(text, name);
    this.#schemas.set(name, schema);
  }

  nameOf(schema: RouteSchema): string | undefined {
    return schema.type === 'object' ? this.#names.get(identity(schema)) : undefined;
  }

  /** Every named schema in JSON Schema, by name. */
  all(): Record<string, JsonSchema> {
    const names = [...this.#schemas.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, this.#translate(this.#schemas.get(name) ?? {}, name)]));
  }

  /** In JSON Schema 2020-12; a named one as a reference. `owner` is what its fields belong to, for their descriptions. */
  schemaOf(schema: RouteSchema, owner?: string): JsonSchema {
    const name = this.nameOf(schema);
    if (name === undefined) return this.#translate(schema, owner);
    const reference = { $ref: `#/components/schemas/${name}` };
    return schema.nullable && !schema.neverNull ? { anyOf: [reference, { type: 'null' }] } : reference;
  }

  #translate(schema: RouteSchema, owner?: string): JsonSchema {
    const { nullable, neverNull, words, zeroIsAbsent, properties, patternProperties, items, anyOf, type, ...described } = schema;
    const { mayBeEmpty, clearable, unit, rule, ...rest } = described;
    const canBeNull = nullable && !neverNull;
    const [values] = Object.values(patternProperties ?? {});
    const choices = anyOf?.map((choice) => choice.const);
    const isEnum = choices?.every((choice) => choice !== undefined);
    const own = Object.entries(properties ?? {}).map(([name, property]) => [name, this.#field(owner, name, property)] as const);
    return {
      ...rest,
      ...(type !== undefined && { type: canBeNull ? [type, 'null'] : type }),
      ...(words && { enum: canBeNull ? [...words, null] : words }),
      ...(zeroIsAbsent && { description: `${schema.description ?? ''} (0 counts as absent)`.trim() }),
      ...(own.length > 0 && { properties: Object.fromEntries(own) }),
      ...(values && { additionalProperties: this.schemaOf(values, owner) }),
      ...(items && { items: this.schemaOf(items, owner) }),
      ...(anyOf && (isEnum ? { type: 'string', enum: choices } : { anyOf: anyOf.map((choice) => this.schemaOf(choice)) })),
    } as JsonSchema;
  }

  #field(owner: string | undefined, name: string, property: RouteSchema): JsonSchema {
    const field = this.schemaOf(property, name);
    const description = field.description ?? descriptionOf(owner, name);
    return description === undefined || field.$ref ? field : { ...field, description };
  }
}

function identity({ nullable, neverNull, description, ...schema }: RouteSchema): string {
  return JSON.stringify(schema);
}
