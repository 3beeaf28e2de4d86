import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../http/app-type.ts';
import { textColorOn } from './brand.ts';
import { PAYER_LANGUAGES } from './language.ts';
import type { Look } from './layout.ts';

const FOLDER = join(import.meta.dirname, 'assets');

/** Serves the style sheet and the script of the pages for payers, the script of buttons on other sites, and the logo of the operator. */
export function payerAssets(app: App, { brand, font, embedSites, publicUrl }: Look): void {
  const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
  const serve = (path: string, type: string, content: Buffer) =>
    // The operator may change the colors, so browsers ask whether the file has changed.
    app.get(path, { config: { undocumented: true, isPublic: true } }, (_request, reply) =>
      reply.type(type).header('cache-control', 'no-cache').send(content),
    );
  const face = font && `@font-face{font-family:Satchel;src:url(${font}) format("woff2");font-weight:400 650;font-display:optional}\n`;
  const colors = `:root{--brand:${brand.color};--on-brand:${textColorOn(brand.color)}}\n`;
  serve('/pay.css', 'text/css; charset=utf-8', Buffer.from(`${face ?? ''}${colors}${read('pay.css')}`));
  serve('/pay-page.js', 'text/javascript; charset=utf-8', Buffer.from(read('pay-page.js')));
  const texts = Object.fromEntries(
    PAYER_LANGUAGES.map(({ code, close, payment, payWithLightning }) => [code, { close, payment, payWithLightning }]),
  );
  const settings = { texts, root: publicUrl, sites: embedSites, color: brand.color, textColor: textColorOn(brand.color) };
  serve(
    '/pay.js',
    'text/javascript; charset=utf-8',
    Buffer.from(`{const SATCHEL_PAY = ${JSON.stringify(settings)};\n${read('pay-button.js')}}\n`),
  );
  if (brand.logo) serve('/pay-logo.png', 'image/png', brand.logo);
}
