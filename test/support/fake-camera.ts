import { writeFileSync } from 'node:fs';
import { generate } from 'lean-qr';
import { PNG } from 'pngjs';

/** Pixels around the code. */
const MARGIN = 40;

interface Drawing {
  readonly width: number;
  readonly height: number;
  isDark(x: number, y: number): boolean;
}

/** Draws a QR code in the middle of a white area. */
function draw(text: string, width: number, height: number): Drawing {
  const code = generate(text);
  const scale = Math.floor((Math.min(width, height) - 2 * MARGIN) / code.size);
  const [left, top] = [Math.floor((width - scale * code.size) / 2), Math.floor((height - scale * code.size) / 2)];
  return { width, height, isDark: (x, y) => code.get(Math.floor((x - left) / scale), Math.floor((y - top) / scale)) };
}

/** Returns a picture with the QR code of a text. */
export function pictureOf(text: string): Buffer {
  const { width, height, isDark } = draw(text, 640, 640);
  const png = new PNG({ width, height });
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) png.data.fill(isDark(x, y) ? 0 : 255, 4 * (y * width + x), 4 * (y * width + x) + 3);
  for (let index = 3; index < png.data.length; index += 4) png.data[index] = 255;
  return PNG.sync.write(png);
}

/**
 * Writes a video of one frame, which Chromium repeats as the picture of its fake camera, and returns the flags for it. The format is YUV4MPEG2:
 * the brightness of each pixel, then the two colors at a quarter of the size.
 */
export function fakeCamera(path: string, text: string): string[] {
  const { width, height, isDark } = draw(text, 960, 720);
  const brightness = Buffer.alloc(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) brightness[y * width + x] = isDark(x, y) ? 16 : 235;
  const colors = Buffer.alloc((width * height) / 2, 128);
  const header = `YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420mpeg2\n`;
  writeFileSync(path, Buffer.concat([Buffer.from(header), Buffer.from('FRAME\n'), brightness, colors]));
  // Without a window, Chromium can ask nobody. Pages still need the permission.
  return ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${path}`];
}
