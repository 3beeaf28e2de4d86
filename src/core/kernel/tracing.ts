import {
  type Attributes,
  context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { bookingMark } from './booking-mark.ts';

/**
 * Spans of OpenTelemetry. Without an SDK, which the operator loads, the spans record nothing. Names and attributes are routes, statuses, ids
 * of nodes and numbers, never texts, URLs or errors' messages: those can contain invoices, memos and keys.
 */
const tracer = trace.getTracer('satchel');

interface SpanSettings {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** The spans that caused this one, which has no parent then. */
  readonly causes?: readonly SpanContext[];
}

/** Runs work in a span, with the running span as its parent. Errors are recorded by their class alone. */
export function traced<T>(name: string, settings: SpanSettings, work: (span: Span) => Promise<T>): Promise<T> {
  const { causes, ...options } = settings;
  const parent = causes ? ROOT_CONTEXT : context.active();
  const span = tracer.startSpan(name, causes ? { ...options, links: causes.map((one): Link => ({ context: one })) } : options, parent);
  return inSpan(span, work);
}

/** Runs work in a span that continues a trace of another process; undefined: in one that begins a trace. */
export function tracedRemotely<T>(
  name: string,
  settings: SpanSettings,
  traceparent: string | undefined,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return inSpan(tracer.startSpan(name, settings, remoteContext(traceparent)), work);
}

function inSpan<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  if (!span.isRecording()) return runIn(span, () => work(span));
  return runIn(span, async () => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Begins the span of a request. A tracer of the server itself, if there is one, is its parent; otherwise the caller's span. */
export function beginRequestSpan(name: string, attributes: Attributes, traceparent: string | string[] | undefined): Span {
  const active = context.active();
  const parent = trace.getSpan(active) || typeof traceparent !== 'string' ? active : remoteContext(traceparent);
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
}

/** Ends the span of a request with the status of its response. */
export function endRequestSpan(span: Span, status: number): void {
  if (!span.isRecording()) return;
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Runs work with a span as the running one. */
export function runIn<T>(span: Span | undefined, work: () => T): T {
  // Without an SDK and a caller's trace there is nothing to pass on.
  if (!span || span.spanContext() === INVALID_SPAN_CONTEXT) return work();
  return context.with(trace.setSpan(context.active(), span), work);
}

/** Returns the context of the running span, for {@link SpanSettings.causes}; undefined if no SDK records it. */
export function runningSpan(): SpanContext | undefined {
  return trace.getActiveSpan()?.spanContext();
}

/** In a context with this value, OpenTelemetry SDKs and their instrumentation record nothing. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Runs work that OpenTelemetry instrumentation must not record, because a URL in it contains a secret. */
export function untraced<T>(work: () => T): T {
  return context.with(context.active().setValue(SUPPRESSED, true), work);
}

/**
 * Returns the trace of the running request in the format of W3C, to store with what the request creates, and the account of its key. Undefined
 * without an account, and if the trace is not sampled: then no one records it.
 */
export function traceToStore(): { readonly traceparent: string; readonly accountId: string } | undefined {
  const mark = bookingMark();
  if (mark?.accountId === undefined) return undefined;
  const traceparent = traceparentOf(trace.getActiveSpan() ?? mark.span);
  return traceparent === undefined ? undefined : { traceparent, accountId: mark.accountId };
}

/** Returns the context of a span in the format of W3C; undefined if it is not sampled. */
export function traceparentOf(span: Span | undefined): string | undefined {
  const found = span?.spanContext();
  if (!found || !isSpanContextValid(found) || (found.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${found.traceId}-${found.spanId}-01`;
}

/** W3C Trace Context, section 3.2. A later version may append fields, which are ignored. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const MAX_LENGTH = 128;

/** Returns the context in a `traceparent`; undefined if it is invalid. `tracestate` and baggage are not read: they may contain anything. */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] = (text.length <= MAX_LENGTH && TRACEPARENT.exec(text)) || [];
  if (version === undefined || (version === '00' && text.length !== 55)) return undefined;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

function remoteContext(traceparent: string | undefined) {
  const caller = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return caller ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT;
}
