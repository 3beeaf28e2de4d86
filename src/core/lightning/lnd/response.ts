import type { IncomingMessage } from 'node:http';
import { LndError, toNodeError } from './errors.ts';

/** One invoice or payment with all its HTLCs. */
const MAX_LINE_BYTES = 16 * 2 ** 20;
/** A response that does not end within this time after its reader has stopped is destroyed. */
const END_MS = 1000;

/**
 * Reads the messages of a stream, one JSON object per line. The reader may stop at any message.
 * @throws for an error message, for a line that is too long, and for a break.
 */
export async function* readLines<T>(response: IncomingMessage): AsyncGenerator<T, void> {
  let pending: Buffer[] = [];
  let bytes = 0;
  // The iterator throws errors only while it is read.
  response.on('error', () => undefined);
  try {
    for await (const chunk of response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        const line = Buffer.concat([...pending, chunk.subarray(start, end)]).toString('utf8');
        pending = [];
        bytes = 0;
        start = end + 1;
        if (line.trim() !== '') yield resultOf<T>(line);
      }
      pending.push(chunk.subarray(start));
      bytes += chunk.length - start;
      if (bytes > MAX_LINE_BYTES) throw new Error(`a message of LND is larger than ${MAX_LINE_BYTES} bytes`);
    }
  } finally {
    discardRest(response);
  }
  const rest = Buffer.concat(pending).toString('utf8');
  if (rest.trim() !== '') yield resultOf<T>(rest);
}

/**
 * Waits for the end of a response in the background. LND ends the stream of a payment right after the last message; destroying the response
 * before would cost another TLS handshake for each payment.
 */
function discardRest(response: IncomingMessage): void {
  if (response.readableEnded || response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), END_MS).unref();
  response.once('close', () => clearTimeout(timer));
  response.resume();
}

function resultOf<T>(line: string): T {
  const { result, error } = JSON.parse(line) as { result?: unknown; error?: { message?: string } };
  if (error) throw toNodeError(new LndError(error.message ?? 'an error without a message'));
  if (result === undefined) throw new Error('a message of LND has no result');
  return result as T;
}
