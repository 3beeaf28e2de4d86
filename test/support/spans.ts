import { context, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll } from 'vitest';
import { reloadModulesAfterFile } from './reload-modules.ts';
import { registerSdk } from './span-sdk.ts';

/** Registers the SDK for the tests of a file. @returns the spans that have ended */
export function recordSpans(): ReadableSpan[] {
  const spans: ReadableSpan[] = [];
  beforeAll(() => registerSdk((span) => spans.push(span)));
  afterAll(() => {
    trace.disable();
    context.disable();
  });
  // The tracer of the service keeps the SDK.
  reloadModulesAfterFile();
  return spans;
}
