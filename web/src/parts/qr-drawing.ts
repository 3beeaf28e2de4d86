export interface QrDrawing {
  /** The side in modules, without the quiet zone. */
  readonly size: number;
  /** The path of an SVG, in modules. */
  readonly path: string;
}

/** BOLT11 and LNURL, which are the same in upper case. A code of capitals and digits has fewer modules. */
const BECH32 = /^(lightning:)?ln(url|bc|tb|bcrt|tbs)1?[0-9a-z]+$/i;

/** Draws a QR code. The library is loaded at its first use; its `nano` variant does not make codes of capitals smaller. */
export async function drawQr(text: string): Promise<QrDrawing> {
  const { generate } = await import('lean-qr');
  const code = generate(BECH32.test(text) ? text.toUpperCase() : text);
  let path = '';
  for (let y = 0; y < code.size; y++) for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  return { size: code.size, path };
}
