import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { initializeWasmFromBinary } from 'lightningdevkit';

let loading: Promise<void> | undefined;

/**
 * Loads LDK's WebAssembly, once per thread (about 70 ms). LDK speaks through the console: a banner when it is loaded, and the text of a Rust
 * panic. The banner is dropped; whatever it prints later goes to `onPrint`, because our standard output is not its diary.
 */
export function loadLdk(onPrint: (text: string) => void): Promise<void> {
  loading ??= load(onPrint);
  return loading;
}

async function load(onPrint: (text: string) => void): Promise<void> {
  const path = createRequire(import.meta.url).resolve('lightningdevkit/liblightningjs.wasm');
  console.log = () => {};
  await initializeWasmFromBinary(readFileSync(path));
  console.log = (...parts: unknown[]) => onPrint(parts.map(String).join(' '));
  console.error = console.log;
}
