/** The parts of OpenAPI 3.1 (and of its JSON Schema 2020-12) that the document of this service uses. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string; readonly [more: string]: unknown };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The headers of every response. */
  readonly 'x-response-headers': Readonly<Record<string, ApiHeader>>;
  readonly paths: Record<string, PathItem>;
  readonly components: {
    readonly schemas: Record<string, JsonSchema>;
    readonly responses: Record<string, ApiResponse>;
    readonly headers: Record<string, ApiHeader>;
    readonly parameters: Record<string, Parameter>;
    readonly securitySchemes: Record<string, object>;
  };
}

/** `x-alias` is a second address of the same operations. */
export type PathItem = { readonly 'x-alias'?: string } & { readonly [method in Method]?: Operation };

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** The permission that the key needs; absent where no key is needed. */
  readonly 'x-permission'?: string;
  /** A GET that changes something: a client must not repeat it by itself. */
  readonly 'x-side-effect'?: true;
  /** An operation for the pages of the dashboard: generators of clients and the reference page leave it out. */
  readonly 'x-internal'?: true;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Record<string, ApiResponse | Reference>;
}

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
  readonly content?: Content;
}

export interface ApiHeader {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

export type Content = Record<string, Media>;

export interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly summary: string; readonly value: unknown }>;
  /** How fields of a form are written. */
  readonly encoding?: Record<string, { readonly style: string; readonly explode: boolean }>;
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
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}
