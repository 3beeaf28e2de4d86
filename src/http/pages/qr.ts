import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { choice } from '../fields.ts';
import { drawQr } from './qr-drawings.ts';

export const QrFormat = choice(['svg', 'png'], { description: 'The format of the image' });

/** The part of a route's schema about its response. */
export const QR_RESPONSE = {
  produces: ['image/svg+xml', 'image/png'],
  response: { 200: Type.Unsafe<string | Buffer>({ type: 'string' }) },
};

/**
 * Returns the text of a QR code for an invoice (BOLT 11) or an LNURL (LUD-01). The payload is upper case, for which a QR code needs a third
 * less space.
 */
export function lightningUri(payload: string): string {
  return `lightning:${payload.toUpperCase()}`;
}

/** Sends the QR code of an LNURL. */
export function sendLnurlQr(
  request: FastifyRequest,
  reply: FastifyReply,
  format: Static<typeof QrFormat>,
  url: string,
): Promise<FastifyReply> {
  return sendQr(request, reply, format, lightningUri(encodeLnurl(url)));
}

/** Returns a QR code (ISO/IEC 18004) as an SVG document, black on white with the quiet zone of four modules. @throws Refusal `rate_limited` */
export async function qrSvg(request: FastifyRequest, text: string): Promise<string> {
  return String(await drawQr(request, { format: 'svg', text }));
}

/** Returns a QR code as a PNG in a `data:` URL: a seventh of the SVG, when a page is compressed. @throws Refusal `rate_limited` */
export async function qrDataUrl(request: FastifyRequest, text: string): Promise<string> {
  return `data:image/png;base64,${Buffer.from(await drawQr(request, { format: 'png', text })).toString('base64')}`;
}

/** Sends a QR code as an image. @throws Refusal `rate_limited` */
export async function sendQr(
  request: FastifyRequest,
  reply: FastifyReply,
  format: Static<typeof QrFormat>,
  text: string,
): Promise<FastifyReply> {
  if (format === 'svg') return reply.type('image/svg+xml').send(await qrSvg(request, text));
  return reply.type('image/png').send(Buffer.from(await drawQr(request, { format, text })));
}
