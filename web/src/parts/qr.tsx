import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { drawQr, type QrDrawing } from './qr-drawing.ts';
import './qr.css';

export interface QrCodeProps {
  readonly text: string;
  readonly label: string;
  readonly isPaid?: boolean;
}

/** In modules. ISO/IEC 18004 requires 4. */
export const QUIET_ZONE = 4;

/** A QR code, dark on white in both themes. Once paid, a tick on green takes its place. */
export function QrCode({ text, label, isPaid = false }: QrCodeProps) {
  const [drawing, setDrawing] = useState<QrDrawing>();
  useEffect(() => {
    let isCurrent = true;
    drawQr(text).then((drawn) => isCurrent && setDrawing(drawn));
    return () => {
      isCurrent = false;
    };
  }, [text]);
  if (isPaid)
    return (
      <div class="qr paid">
        <Icon name="done" size={96} />
      </div>
    );
  const side = (drawing?.size ?? 1) + 2 * QUIET_ZONE;
  return (
    <div class="qr">
      {drawing && (
        <svg viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`} role="img" aria-label={label}>
          <path d={drawing.path} />
        </svg>
      )}
    </div>
  );
}
