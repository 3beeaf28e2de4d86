import type { FastifyReply } from 'fastify';
import { generate } from 'lean-qr';
import { toPngBuffer } from 'lean-qr/extras/node_export';
import { toSvgSource } from 'lean-qr/extras/svg';
import { type Static, Type } from 'typebox';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { choice } from '../fields.ts';

export const QrFormat = choice(['svg', 'png'], { description: 'The format of the image' });

/** The part of a route's schema about its response. */
export const QR_RESPONSE = {
  produces: ['image/svg+xml', 'image/png'],
  response: { 200: Type.Unsafe<string | Buffer>({ type: 'string' }) },
};

/** Pixels per module in a PNG. An invoice has about 70 modules a side. */
const PNG_SCALE = 8;

/**
 * Returns the text of a QR code for an invoice (BOLT 11) or an LNURL (LUD-01). The payload is upper case, for which a QR code needs a third
 * less space.
 */
export function lightningUri(payload: string): string {
  return `lightning:${payload.toUpperCase()}`;
}

/** Sends the QR code of an LNURL. */
export function sendLnurlQr(reply: FastifyReply, format: Static<typeof QrFormat>, url: string): FastifyReply {
  return sendQr(reply, format, lightningUri(encodeLnurl(url)));
}

/** Returns a QR code (ISO/IEC 18004) as an SVG document, black on white with the quiet zone of four modules. */
export function qrSvg(text: string): string {
  return toSvgSource(generate(text), { off: 'white' });
}

/** Sends a QR code as an image. */
export function sendQr(reply: FastifyReply, format: Static<typeof QrFormat>, text: string): FastifyReply {
  if (format === 'svg') return reply.type('image/svg+xml').send(qrSvg(text));
  const png = toPngBuffer(generate(text), { on: [0, 0, 0], off: [255, 255, 255], scale: PNG_SCALE });
  return reply.type('image/png').send(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
}
