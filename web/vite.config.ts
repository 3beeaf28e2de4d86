import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const SHARED =
  /node_modules\/(preact|wouter-preact|lucide-preact|regexparam|mitt)\/|client\/|web\/src\/(api\/(?!fiat|app|list|push|slow)|screens\/(?:login\/entry|send\/pasted-text)|frame\/(?!found|palette|shortcut-list)|texts\/(?:texts|lookup|en|en-(?:common|keys|logins|operator|wallets|webhooks))\.ts|parts\/(?!confirm|details|foreign\.|identifier|use-list|use-is-above|budget|limit|menu|node-status|pages|tabs|chart|steps|bars|spark|timeline|qr|secret|fiat|format-fiat|amount-|keyboard|print|decimal|sats-field|requested|wallet))/;
/** Loaded with the first fiat value, which most people never see. */
const FIAT = /web\/src\/(api\/fiat-rate|parts\/(fiat-entry|fiat-value|format-fiat)|texts\/en-fiat)/;

/** Loaded with the first sheet. */
const KEYBOARD = /web\/src\/parts\/keyboard-inset/;

/** The forms in which amounts are entered, and the screens that show what was requested. */
const AMOUNTS = /web\/src\/(parts\/(amount-|decimal|requested-price|sats-field)|texts\/en-amounts)/;

/** Lists with pages. */
const LISTS = /web\/src\/(api\/list|parts\/(pages|use-list)|texts\/en-lists)/;

/** The details of a payment, a key or a customer, with texts of other people, and what asks before something is removed. */
const DETAILS = /web\/src\/parts\/(confirm-sheet|details|foreign\.|identifier)/;

/** The screens that choose among wallets, and the palette. */
const WALLET_CHOICE = /web\/src\/parts\/wallet/;

/** What recognizes an invoice, an address or a link, for the screens of a wallet, Send and Scan. */
const DESTINATION = /web\/src\/screens\/send\/(destination|use-paste)|core\/kernel\/payment-text/;

/** Builds the dashboard. scripts/dashboard.mjs runs it and moves the result to `web/dist`. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, because PUBLIC_URL may have a path.
  base: './',
  plugins: [serviceWorker()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // For tests. The service does not publish files that begin with a dot.
    manifest: '.manifest.json',
    target: 'es2022',
    // A Content-Security-Policy of the service refuses data: scripts and styles; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // One file for what the first screen needs; otherwise each small module that two screens share is a request of its own.
        codeSplitting: {
          groups: [
            { name: 'shared', test: SHARED },
            { name: 'keyboard', test: KEYBOARD },
            { name: 'amounts', test: AMOUNTS },
            { name: 'fiat', test: FIAT },
            { name: 'lists', test: LISTS },
            { name: 'details', test: DETAILS },
            { name: 'destination', test: DESTINATION },
            { name: 'wallet-choice', test: WALLET_CHOICE },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
});

/** Writes `sw.js` with the names of all files of the build. The names of most contain a hash, so another build has another service worker. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const folder = (name: string) => join(import.meta.dirname, name);
      const published = readdirSync(folder('public'));
      const built = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
      const source = readFileSync(folder('service-worker.js'), 'utf8');
      const texts = JSON.stringify(await notificationTexts());
      const hash = createHash('sha256')
        .update(source)
        .update(texts)
        .update(built.sort().join(' '))
        .update(readFileSync(folder('index.html')));
      for (const name of published) hash.update(readFileSync(join(folder('public'), name)));
      const files = JSON.stringify([...built, ...published].sort());
      const build = JSON.stringify(hash.digest('hex').slice(0, 16));
      const text = source.replace('__FILES__', files).replace('__BUILD__', build).replace('__TEXTS__', texts);
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: text });
    },
  };
}

/** Returns the texts of notifications by language. `{amount}` stands for the amount. */
async function notificationTexts(): Promise<Record<string, { received: string }>> {
  const folder = join(import.meta.dirname, 'src', 'texts');
  const languages = readdirSync(folder).filter((name) => /^[a-z]{2}$/.test(name));
  const files = [['en', 'en-paid.ts'], ...languages.map((language) => [language, join(language, 'paid.ts')])] as const;
  const texts: Record<string, { received: string }> = {};
  for (const [language = '', file = ''] of files) {
    const { paid } = (await import(pathToFileURL(join(folder, file)).href)) as { paid: { received(amount: string): string } };
    texts[language] = { received: paid.received('{amount}') };
  }
  return texts;
}
