import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app-type.ts';

const MIN_BYTES = 1024;
/** Compressing this much takes 0.3 ms, about as long as passing it to another thread and back. */
const SYNC_BYTES = 65_536;
const COMPRESSIBLE = /^(text\/|image\/svg|application\/(json|manifest|openmetrics))/;

/** What was made of a file. Its content is the same Buffer in every response. */
interface KnownFile {
  readonly etag: string;
  gzip?: Promise<Buffer>;
  br?: Promise<Buffer>;
}

type Encoding = 'gzip' | 'br';

/**
 * Responds 304 to a GET whose client has the response (`If-None-Match`), and compresses texts, both only above {@link MIN_BYTES}. Responses to
 * POST are not compressed: they are small, and some contain keys, whose letters a page could guess by the length of a compressed response that
 * also contains its own text (BREACH).
 */
export function sendCompactly(app: App): void {
  const files = new WeakMap<Buffer, KnownFile>();

  function knownFile(content: Buffer): KnownFile {
    const file = files.get(content) ?? { etag: etagOf(content) };
    files.set(content, file);
    return file;
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isFromRead(request, reply) || (typeof payload !== 'string' && !Buffer.isBuffer(payload))) return done(null, payload);
    // A 304 for a small object, such as a balance, saves nothing.
    if (typeof payload === 'string' && payload.length <= MIN_BYTES) return done(null, payload);
    const file = typeof payload === 'string' ? undefined : knownFile(payload);
    const etag = file?.etag ?? etagOf(payload);
    reply.header('etag', etag);
    if (hasMatch(request.headers['if-none-match'], etag)) {
      reply.code(304);
      return done(null, '');
    }
    if (payload.length <= MIN_BYTES || !COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return done(null, payload);
    reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const encoding = file && /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
    if (encoding === undefined || request.method === 'HEAD') return done(null, payload);
    reply.header('content-encoding', encoding).removeHeader('content-length');
    if (!file && payload.length <= SYNC_BYTES) return done(null, gzipSync(payload));
    compress(payload, encoding, file).then((compressed) => done(null, compressed), done);
  });
}

function isFromRead({ method, routeOptions: { config } }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return statusCode === 200 && (method === 'GET' || method === 'HEAD') && !config?.hasSideEffect && !config?.lnurl;
}

/** Weak (RFC 9110, section 8.8.1), because a compressed response has the same. */
function etagOf(payload: string | Buffer): string {
  return `W/"${hash('sha1', payload, 'base64url')}"`;
}

function hasMatch(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((one) => one.trim() === etag || `W/${one.trim()}` === etag) === true;
}

const FILE_QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compresses a response; a file once. */
function compress(payload: string | Buffer, encoding: Encoding, file: KnownFile | undefined): Promise<Buffer> {
  if (!file) return promisify(gzip)(payload);
  file[encoding] ??= encoding === 'br' ? promisify(brotliCompress)(payload, FILE_QUALITY) : promisify(gzip)(payload);
  return file[encoding];
}
