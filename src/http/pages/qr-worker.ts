import { parentPort } from 'node:worker_threads';
import { generate } from 'lean-qr';
import { toPngBuffer } from 'lean-qr/extras/node_export';
import { toSvgSource } from 'lean-qr/extras/svg';

/** The QR code of a text in a format. */
export interface QrOrder {
  readonly format: 'svg' | 'png';
  readonly text: string;
}

/** An SVG document or the bytes of a PNG; null if no QR code can contain the text. */
export type QrDrawing = string | Uint8Array | null;

/** Pixels per module in a PNG. An invoice has about 70 modules a side. */
const PNG_SCALE = 8;

function draw({ format, text }: QrOrder): QrDrawing {
  try {
    if (format === 'svg') return toSvgSource(generate(text), { off: 'white' });
    return toPngBuffer(generate(text), { on: [0, 0, 0], off: [255, 255, 255], scale: PNG_SCALE });
  } catch {
    return null;
  }
}

parentPort?.on('message', (order: QrOrder) => parentPort?.postMessage(draw(order)));
