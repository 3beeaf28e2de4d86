import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/**
 * A response field that may be null. One schema and not a union of two: for a union the serializer has to validate the value first,
 * which took half of the time of a response.
 */
export function nullable<T extends TSchema>(schema: T, options: { description?: string } = {}) {
  return Type.Unsafe<Static<T> | null>({ ...schema, ...options, nullable: true });
}

/**
 * A response field with one of these values. The keyword is `words` and not `enum`, because the serializer would check an `enum`; only the
 * OpenAPI document uses it.
 */
export function oneOf<const T extends string | number>(words: readonly T[], options: { description: string }) {
  return Type.Unsafe<T>({ type: typeof words[0] === 'number' ? 'integer' : 'string', words, ...options });
}

/** An object with any fields, in a request or a response. */
export function anyObject(description: string) {
  return Type.Object({}, { additionalProperties: true, description });
}

/** A response object. The OpenAPI document and the client have it as a type with this name. */
export function namedObject<T extends TProperties>(title: string, fields: T) {
  return Type.Object(fields, { title });
}
