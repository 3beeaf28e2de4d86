import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ReadableSpan, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/** Registers the SDK of OpenTelemetry, which calls `onEnd` with each span. */
export function registerSdk(onEnd: (span: ReadableSpan) => void): void {
  const processor: SpanProcessor = { onStart: () => undefined, onEnd, forceFlush: async () => undefined, shutdown: async () => undefined };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
}
