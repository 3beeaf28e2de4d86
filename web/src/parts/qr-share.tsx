import { phone } from '../texts/en-phone.ts';
import { Button } from './button.tsx';
import { QUIET_ZONE } from './qr.tsx';
import { drawQr } from './qr-drawing.ts';
import { showToast } from './toast.tsx';

export interface QrShareProps {
  /** What the QR code contains. */
  readonly text: string;
  /** What is shared, if it is not the content of the code. */
  readonly shared?: string;
  /** The name of the files, without an ending. */
  readonly name: string;
}

/** Pixels per module in a PNG. */
const SCALE = 8;

/** Shares a text where the browser can, and saves its QR code as a picture. The button that copies it is always beside. */
export function QrShare({ text, shared = text, name }: QrShareProps) {
  const data: ShareData = { text: shared };
  const canShare = typeof navigator.share === 'function' && navigator.canShare?.(data) !== false;
  return (
    <div class="row wrap qr-share">
      {canShare && (
        <Button size="small" icon="share" onClick={() => void share(data)}>
          {phone.share.share}
        </Button>
      )}
      <Button size="small" kind="quiet" icon="download" onClick={() => void drawPng(text).then((png) => save(png, `${name}.png`))}>
        {phone.share.png}
      </Button>
      <Button size="small" kind="quiet" icon="download" onClick={() => void drawSvg(text).then((svg) => save(svg, `${name}.svg`))}>
        {phone.share.svg}
      </Button>
    </div>
  );
}

async function share(data: ShareData): Promise<void> {
  try {
    await navigator.share(data);
  } catch (error) {
    // The person has closed the list of programs.
    if (error instanceof DOMException && error.name === 'AbortError') return;
    showToast(phone.share.failed);
  }
}

async function drawSvg(text: string): Promise<Blob> {
  const { size, path } = await drawQr(text);
  const side = size + 2 * QUIET_ZONE;
  const view = `${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`;
  const code = `<rect x="${-QUIET_ZONE}" y="${-QUIET_ZONE}" width="${side}" height="${side}" fill="#fff"/><path d="${path}"/>`;
  return new Blob([`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view}">${code}</svg>\n`], { type: 'image/svg+xml' });
}

async function drawPng(text: string): Promise<Blob> {
  const { size, path } = await drawQr(text);
  const canvas = document.createElement('canvas');
  const side = (size + 2 * QUIET_ZONE) * SCALE;
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser has no canvas.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, side, side);
  context.setTransform(SCALE, 0, 0, SCALE, QUIET_ZONE * SCALE, QUIET_ZONE * SCALE);
  context.fillStyle = '#000';
  context.fill(new Path2D(path));
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no PNG.'))), 'image/png');
  });
}

/** Firefox and Safari read the picture after the click. */
const READ_WITHIN_MS = 60_000;

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_WITHIN_MS);
}
