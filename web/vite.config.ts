import { defineConfig } from 'vite';

/** Builds the dashboard into `web/dist`, which is committed: an installation needs no bundler. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, because PUBLIC_URL may have a path.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // A Content-Security-Policy of the service refuses data: scripts and styles; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
