import { sharedCompilers } from '../../src/http/schema-compilers.ts';

/*
 * Imported before the service, compiles the schemas of a route at its first request. Compiling all of them takes half the processor time of a
 * start, and tests start the service hundreds of times. `npm start` compiles them at the start, which test/process/npm-start tests.
 */

sharedCompilers.buildValidator = lazily(sharedCompilers.buildValidator);
sharedCompilers.buildSerializer = lazily(sharedCompilers.buildSerializer);

type Compiled = ((data: unknown) => unknown) & { errors?: unknown };
type Build = (...parameters: never[]) => (route: never) => Compiled;

function lazily<Own>(build: Own): Own {
  const buildLazily: Build = (...parameters) => {
    const compile = (build as Build)(...parameters);
    return (route) => {
      let compiled: Compiled | undefined;
      const call: Compiled = (data) => {
        compiled ??= compile(route);
        const result = compiled(data);
        // Fastify reads the errors of a validator here.
        call.errors = compiled.errors;
        return result;
      };
      return call;
    };
  };
  return buildLazily as Own;
}
