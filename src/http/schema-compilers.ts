import validators from '@fastify/ajv-compiler';
import serializers from '@fastify/fast-json-stringify-compiler';

/**
 * Fastify's compilers of schemas, which compile each schema once per process. Routes share most of their schemas, and compiling them takes
 * most of the time of a start. All servers of a process have the same options, and no schema has an id.
 */
export const sharedCompilers = { buildValidator: shared(validators()), buildSerializer: shared(serializers()) };

/** A compiler gets a route with its schema, although the types of one of the packages name the schema itself. */
type Build = (...parameters: never[]) => (route: never) => unknown;

function shared<Own extends Build>(build: Own): Own {
  const compiled = new Map<string, unknown>();
  let compile: ReturnType<Build> | undefined;
  const buildShared: Build = (...parameters) => {
    compile ??= build(...parameters);
    const compileNew = compile;
    return (route: { readonly schema: unknown }) => {
      const key = JSON.stringify(route.schema);
      const result = compiled.get(key) ?? compileNew(route as never);
      compiled.set(key, result);
      return result;
    };
  };
  return buildShared as Own;
}
