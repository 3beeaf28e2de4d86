import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import './qr.css';

export interface QrCodeProps {
  /** BOLT11 and LNURL in upper case make a smaller code. */
  readonly text: string;
  readonly label: string;
  readonly isPaid?: boolean;
}

interface Drawing {
  readonly size: number;
  readonly path: string;
}

/** In modules. ISO/IEC 18004 requires 4. */
const QUIET_ZONE = 4;

/** A QR code, dark on white in both themes. Once paid, a tick on green takes its place. */
export function QrCode({ text, label, isPaid = false }: QrCodeProps) {
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    let isCurrent = true;
    draw(text).then((drawn) => isCurrent && setDrawing(drawn));
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

/** The library is loaded at its first use. */
async function draw(text: string): Promise<Drawing> {
  const { generate } = await import('lean-qr/nano');
  const code = generate(text);
  let path = '';
  for (let y = 0; y < code.size; y++) for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  return { size: code.size, path };
}
