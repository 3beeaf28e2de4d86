import validators from '@fastify/ajv-compiler';
import serializers from '@fastify/fast-json-stringify-compiler';

/** A compiler gets a route with its schema, although the types of one of the packages name the schema itself. */
type Build = (...parameters: never[]) => (route: never) => Compiled;
type Compiled = ((data: unknown) => unknown) & { errors?: unknown };

/** Those that are not compiled yet. */
const pending = new Set<() => void>();

/**
 * Fastify's compilers of schemas, which compile each schema once per process, at the first request of a route: compiling all of them took a
 * third of the processor time of a start. All servers of a process have the same options, and no schema has an id.
 */
export const sharedCompilers = { buildValidator: shared(validators()), buildSerializer: shared(serializers()) };

/** Compiles the schemas that no request has needed yet, and returns how many. @throws for a schema that cannot be compiled. */
export function compileAllSchemas(): number {
  const compilers = [...pending];
  for (const compile of compilers) compile();
  return compilers.length;
}

function shared<Own>(build: Own): Own {
  const compiled = new Map<string, Compiled>();
  let compile: ReturnType<Build> | undefined;
  const buildShared: Build = (...parameters) => {
    compile ??= (build as Build)(...parameters);
    const compileNew = compile;
    return (route: { readonly schema: unknown }) => {
      const compileShared = () => {
        const key = JSON.stringify(route.schema);
        const result = compiled.get(key) ?? compileNew(route as never);
        compiled.set(key, result);
        pending.delete(compileOnce);
        return result;
      };
      let own: Compiled | undefined;
      const compileOnce = (): Compiled => {
        const result = own ?? compileShared();
        own = result;
        return result;
      };
      pending.add(compileOnce);
      const call: Compiled = (data) => {
        const ready = compileOnce();
        const result = ready(data);
        // Fastify reads the errors of a validator here.
        call.errors = ready.errors;
        return result;
      };
      return call;
    };
  };
  return buildShared as Own;
}
