/**
 * The parts of OpenAPI 3.1 (and of its JSON Schema 2020-12) that the document of this service uses. The types of the document and its
 * operations are those that document.ts returns.
 */
export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ApiResponse {
  readonly description: string;
  readonly headers?: Record<string, Reference>;
  readonly content?: Record<string, Media>;
}

export interface ApiHeader {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

export interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly summary: string; readonly value: unknown }>;
}

export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  /** The values that there are; later versions may add some. */
  readonly 'x-extensible-enum'?: readonly unknown[];
  /** The fields that the object has, by the `type` of the object that contains it. */
  readonly 'x-fields-by-type'?: Readonly<Record<string, readonly string[]>>;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}
