import { isJsonObject } from '../../core/kernel/json.ts';
/** The parts of a route's schema that its example depends on. */
export interface ExampleSchema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly examples?: readonly unknown[];
  /** See `oneOf` in objects/response-types.ts. */
  readonly words?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
  readonly required?: readonly string[];
  readonly items?: ExampleSchema;
}

const BY_TYPE: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true };

/** Assembles an example of a schema from the examples of its fields. */
export function exampleOf(schema: ExampleSchema): unknown {
  if (schema.examples) return schema.examples[0];
  const [word] = schema.words ?? schema.enum ?? [];
  if (word !== undefined) return word;
  if (Object.keys(schema.properties ?? {}).length > 0) return exampleOfFields(schema);
  if (schema.nullable) return null;
  if (schema.type === 'array') return schema.items ? [exampleOf(schema.items)] : [];
  if (schema.type === 'object') return {};
  return BY_TYPE[schema.type ?? ''] ?? null;
}

/** Gives each field its value in the example of the whole object, for query parameters. */
export function withFieldExamples(schema: ExampleSchema | undefined): ExampleSchema | undefined {
  const [example] = (schema?.examples ?? []) as Record<string, unknown>[];
  if (!schema || !example) return schema;
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    name in example ? { ...field, examples: [example[name]] } : field,
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** An optional field without any example of its own is left out. */
function exampleOfFields({ properties = {}, required = [] }: ExampleSchema): object {
  const shown = Object.entries(properties).filter(([name, field]) => required.includes(name) || hasExamples(field));
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field)]));
}

function hasExamples({ examples, properties = {} }: ExampleSchema): boolean {
  return examples !== undefined || Object.values(properties).some(hasExamples);
}

/** Objects of the caller's own making: a change replaces them. */
const FREE = new Set(['passThru', 'custom_records']);

/** Applies changes to an example, and to every item of a list; objects are merged. */
export function withChanges(example: unknown, changes: unknown): unknown {
  if (changes === undefined) return example;
  if (Array.isArray(example) && !Array.isArray(changes)) return example.map((item) => withChanges(item, changes));
  if (!isJsonObject(example) || !isJsonObject(changes)) return changes;
  const changed = Object.entries(changes).map(([name, change]) => [name, FREE.has(name) ? change : withChanges(example[name], change)]);
  return { ...example, ...Object.fromEntries(changed) };
}
