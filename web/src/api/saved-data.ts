import { BASE_PATH } from '../base-path.ts';

/** Set by the service worker, in milliseconds since 1970. */
const KEPT_AT = 'x-kept-at';

type Listener = (keptAtMs: number) => void;

const listeners = new Set<Listener>();

/** Calls `listener` when data comes from the service worker, because the service does not answer. */
export function onSavedData(listener: Listener): void {
  listeners.add(listener);
}

/** `fetch` that reports saved data. */
export const fetchOrSaved: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  const keptAtMs = Number(response.headers.get(KEPT_AT) ?? 0);
  if (keptAtMs > 0) for (const listener of listeners) listener(keptAtMs);
  return response;
};

/**
 * Lets the browser keep the files and the last data for reading without a network. Browsers do so only with https and on localhost. Calls
 * `onStart` once data is kept from then on: what was loaded before is not.
 */
export function keepForReading(onStart: () => void): void {
  if (!('serviceWorker' in navigator)) return;
  if (!navigator.serviceWorker.controller) navigator.serviceWorker.addEventListener('controllerchange', onStart, { once: true });
  const url = `${BASE_PATH}sw.js`;
  // The Content-Security-Policy requires trusted types, which not all browsers have.
  const policy = trusted()?.createPolicy('satchel-worker', { createScriptURL: () => url });
  // Without it, the dashboard works as before.
  navigator.serviceWorker
    .register((policy?.createScriptURL('') ?? url) as string, { scope: BASE_PATH, updateViaCache: 'none' })
    .catch(() => undefined);
}

/** Forgets the last data, at the end of a session and at the start of one. */
export async function forgetSavedData(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.controller?.postMessage('forget');
  await caches.delete(`satchel ${new URL(BASE_PATH, location.href).href} data`);
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): unknown };
}

function trusted(): TrustedTypes | undefined {
  return (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
}
