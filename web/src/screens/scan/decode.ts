import readQr from 'qr/decode.js';

/** The longest side of a picture in which codes are looked for. Larger ones have more noise, not more code. */
const SIDES = [800, 1600];
/** What a picture may take, in ms. A frame of the camera is decoded in less, because the next one follows. */
const PICTURE_MS = 1500;

const canvas = document.createElement('canvas');

/** Returns the text of the QR code in the middle of a video; undefined if the present frame has none that can be read. */
export function readFrame(video: HTMLVideoElement): string | undefined {
  const { videoWidth: width, videoHeight: height } = video;
  const side = Math.min(width, height);
  if (side === 0) return undefined;
  const size = Math.min(side, SIDES[0] ?? side);
  return decode(pixelsOf(video, { x: (width - side) / 2, y: (height - side) / 2, width: side, height: side }, size), {});
}

/** Returns the text of the QR code in a picture; undefined without one. @throws if the file is not a picture */
export async function readPicture(file: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(file);
  const all = { x: 0, y: 0, width: picture.width, height: picture.height };
  for (const side of SIDES) {
    const text = decode(pixelsOf(picture, all, side), { effort: 8, timeLimit: PICTURE_MS });
    if (text !== undefined) return text;
  }
  return undefined;
}

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the pixels of a part, whose longer side becomes `side` at most. */
function pixelsOf(source: CanvasImageSource, { x, y, width, height }: Part, side: number): ImageData {
  const scale = Math.min(1, side / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('The browser has no canvas.');
  // Transparent pictures are dark on white.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, x, y, width, height, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

function decode({ data, width, height }: ImageData, options: { effort?: number; timeLimit?: number }): string | undefined {
  try {
    return readQr({ data, width, height }, options) || undefined;
  } catch {
    return undefined;
  }
}
