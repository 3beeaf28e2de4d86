/*
 * The dashboard without a network: its page and its files, and the last data of some screens for reading; and the notifications of payments.
 * vite.config.ts writes the list of files, the id of the build and the texts of notifications into the constants; another build is another
 * service worker, whose files replace these.
 */

/** The files of the build, relative to the scope. */
const FILES = __FILES__;
const BUILD = __BUILD__;
/** The texts of notifications, by language. */
const TEXTS = __TEXTS__;

const scope = self.registration.scope;
const PREFIX = `satchel ${scope} `;
const SHELL = `${PREFIX}files ${BUILD}`;
const DATA = `${PREFIX}data`;

/** The screens of the dashboard. All other pages of the service are left to the network. */
const SCREEN =
  /^(?:|wallets|activity|payments|links|payouts|apps|keys|webhooks|settings|operator|accounts|more|contacts|receive|send|scan|developers|login|playground)(?:\/|$)/;

/** What may be kept: who is logged in, wallets and their transactions. No keys, no links, nothing that is worth money. */
const KEPT = /^v1\/(?:session|account|wallets|rates|fiat-rate|wallet\/walx?_\w+(?:\/(?:transactions|summary))?)$/;
const MAX_KEPT = 80;
const KEPT_AT = 'x-kept-at';
/** The caches have one response per address. */
const ANY = { ignoreVary: true };
/** A page that takes longer comes from the cache. */
const PAGE_TIMEOUT_MS = 6000;

/** Counts the log-outs, so that a response to a request before one is not kept after it. */
let generation = 0;

self.addEventListener('install', (event) => {
  event.waitUntil(install());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(activate());
});

self.addEventListener('message', (event) => {
  if (event.data === 'forget') event.waitUntil(forget());
});

self.addEventListener('push', (event) => {
  event.waitUntil(notify(event.data));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openTransaction(event.notification.data));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return;
  const url = new URL(request.url);
  const path = request.url.slice(scope.length).replace(/[?#].*/, '');
  if (request.mode === 'navigate') {
    if (SCREEN.test(path)) event.respondWith(page(request));
  } else if (path.startsWith('assets/')) event.respondWith(cachedFirst(request));
  else if (FILES.includes(path)) event.respondWith(fetch(request).catch(() => cachedFirst(request)));
  else if (KEPT.test(path)) event.respondWith(data(request, path, url));
});

async function install() {
  const cache = await caches.open(SHELL);
  await cache.addAll(
    [scope, ...FILES.map((file) => scope + file)].map((url) => new Request(url, { cache: 'no-cache', headers: { accept: 'text/html' } })),
  );
  await self.skipWaiting();
}

async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(`${PREFIX}files `) && name !== SHELL).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The names in `assets/` contain a hash of the content. */
async function cachedFirst(request) {
  const cache = await caches.open(SHELL);
  return (await cache.match(request.url, ANY)) ?? fetch(request);
}

/** The network first: it has the newest build. */
async function page(request) {
  try {
    const response = await Promise.race([fetch(request), timeout(PAGE_TIMEOUT_MS)]);
    // A proxy answers for a service that has stopped.
    if (response.status < 502 || response.status > 504) return response;
    return (await keptPage()) ?? response;
  } catch {
    return (await keptPage()) ?? fetch(request);
  }
}

async function keptPage() {
  return (await caches.open(SHELL)).match(scope, ANY);
}

function timeout(milliseconds) {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('timeout')), milliseconds));
}

/** The network, and without one the last response, with the time at which it was kept. */
async function data(request, path, url) {
  const begun = generation;
  // The beginning of a summary moves with the time.
  if (path.endsWith('/summary')) url.searchParams.delete('from');
  let response;
  try {
    response = await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(DATA)).match(url.href, ANY);
    if (kept) return kept;
    throw error;
  }
  if (response.status === 401) await forget();
  if (response.ok) await keep(response.clone(), path, url, begun).catch(() => undefined);
  return response;
}

async function keep(response, path, url, begun) {
  const body = await response.text();
  const cache = await caches.open(DATA);
  if (path === 'v1/session') {
    const before = await (await cache.match(url.href, ANY))?.json();
    if (before !== undefined && before.account?.id !== JSON.parse(body).account?.id) await forget();
    else if (begun !== generation) return;
  } else if (begun !== generation) return;
  const headers = new Headers(response.headers);
  headers.set(KEPT_AT, String(Date.now()));
  const opened = await caches.open(DATA);
  await opened.delete(url.href, ANY);
  await opened.put(url.href, new Response(body, { status: response.status, headers }));
  const keys = await opened.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MAX_KEPT)).map((key) => opened.delete(key, ANY)));
}

/** Deletes all data, at the end of a session and when another account logs in. */
async function forget() {
  generation++;
  await caches.delete(DATA);
}

/** Shows a notification of a received payment. Ignores other messages. */
async function notify(data) {
  const paid = readPaid(data);
  if (!paid) return;
  const { language, msat, name, wallet, transaction } = paid;
  await self.registration.showNotification(TEXTS[language].received.replace('{amount}', formatMsat(msat, language)), {
    body: name,
    lang: language,
    icon: `${scope}icon-192.png`,
    // The same message received twice shows one notification.
    tag: transaction,
    data: { wallet, transaction },
  });
}

/** Returns what a message says about a payment (src/features/push/push.ts), with values that can be used. */
function readPaid(data) {
  let message;
  try {
    message = data.json();
  } catch {
    return undefined;
  }
  const { type, msat, name, wallet, transaction, language } = message ?? {};
  if (type !== 'paid' || !Number.isSafeInteger(msat) || msat <= 0 || typeof name !== 'string') return undefined;
  if (!isId(wallet, /^walx?_\w{1,40}$/) || !isId(transaction, /^wtx_\w{1,60}$/)) return undefined;
  return { msat, name: name.slice(0, 100), wallet, transaction, language: Object.hasOwn(TEXTS, language) ? language : 'en' };
}

function isId(value, pattern) {
  return typeof value === 'string' && pattern.test(value);
}

/** Returns millisats as sats, in groups of three digits, as the dashboard writes them. */
function formatMsat(msat, language) {
  const whole = String(Math.trunc(msat / 1000)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
  const decimals = String(msat % 1000).padStart(3, '0');
  return decimals === '000' ? whole : whole + (1.1).toLocaleString(language).charAt(1) + decimals;
}

/** Opens the transaction of a notification, in a window of the dashboard if there is one. */
async function openTransaction({ wallet, transaction }) {
  const url = `${scope}wallets/${wallet}?tx=${transaction}`;
  const windows = await self.clients.matchAll({ type: 'window' });
  const open = windows.find((one) => one.url.startsWith(scope));
  if (!open) return void (await self.clients.openWindow(url));
  await open.focus();
  await open.navigate(url);
}
