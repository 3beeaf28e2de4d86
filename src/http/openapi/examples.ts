import { readFileSync } from 'node:fs';

/** Examples of an operation: its parameters by name, the body of a request, and the bodies of responses by status. */
export interface Examples {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
}

/** The examples of the OpenAPI document, by operation. */
export const EXAMPLES: Readonly<Record<string, Examples>> = JSON.parse(
  readFileSync(new URL('../../../docs/openapi-examples.json', import.meta.url), 'utf8'),
);
