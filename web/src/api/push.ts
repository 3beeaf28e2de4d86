import { BASE_PATH } from '../base-path.ts';
import { code } from '../texts/texts.ts';
import { api, type Push } from './client.ts';

/** Whether this browser shows notifications of payments, or why it cannot. */
export type PushState = 'on' | 'off' | 'denied' | 'unsupported' | 'needsApp';

/** The reason why notifications were not turned on. */
export type PushProblem = 'dismissed' | 'failed';

/** In this browser: the account that turned them on, and the id of its subscription. */
const ENTRY = 'push';
/** In this browser: whether the user has answered an offer. */
const OFFERED = 'push-offered';

function stored(): { accountId: string; id: string } {
  const [accountId = '', id = ''] = (localStorage.getItem(ENTRY) ?? '').split(' ');
  return { accountId, id };
}

/** The id of the subscription of this browser; empty without one. */
export function ownId(): string {
  return stored().id;
}

/** Returns the reason why this browser cannot show notifications; undefined if it can. */
function obstacle(): 'denied' | 'unsupported' | 'needsApp' | undefined {
  // Safari on iOS has this property, and supports push messages only for pages on the home screen.
  if ((navigator as { standalone?: boolean }).standalone === false) return 'needsApp';
  if (!('serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis)) return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** Returns whether this browser is subscribed, given the subscriptions of the account. */
export function stateOf({ subscriptions }: Push): PushState {
  const isOn = () => Notification.permission === 'granted' && subscriptions.some(({ id, status }) => id === ownId() && status === 'active');
  return obstacle() ?? (isOn() ? 'on' : 'off');
}

/** Returns whether a page may offer notifications. It may not after the user turned them on, answered an offer, or answered the browser's question. */
export function mayOffer(): boolean {
  return obstacle() === undefined && Notification.permission === 'default' && localStorage.getItem(OFFERED) === null && ownId() === '';
}

/** Stores that this browser must not offer notifications again. */
export function endOffer(): void {
  localStorage.setItem(OFFERED, 'yes');
}

/** Requests permission and subscribes this browser. Call it after a click: browsers ask the user only then. */
export async function turnOn(accountId: string): Promise<PushProblem | undefined> {
  if ((await Notification.requestPermission()) !== 'granted') return 'dismissed';
  const { public_key: publicKey } = await api.push.get({});
  let subscription: PushSubscription;
  try {
    subscription = await subscribe(publicKey);
  } catch {
    return 'failed';
  }
  await store(accountId, subscription);
  return undefined;
}

/** Ends the subscription of this browser, or of another one of the account. */
export async function turnOff(id: string): Promise<void> {
  if (id === ownId()) {
    await (await currentSubscription())?.unsubscribe();
    localStorage.removeItem(ENTRY);
  }
  await api.push.delete(id);
}

/**
 * Renews the subscription of this browser at each start, because it ends with the session and push services change addresses. If another account
 * has logged in, the subscription is ended.
 */
export async function renew(accountId: string): Promise<void> {
  const subscription = await currentSubscription();
  if (stored().accountId !== accountId) {
    await subscription?.unsubscribe();
    localStorage.removeItem(ENTRY);
  } else if (Notification.permission === 'granted') {
    const { public_key: publicKey, subscriptions } = await api.push.get({});
    if (subscriptions.some(({ id }) => id === ownId())) return store(accountId, await subscribe(publicKey));
    // It was turned off in another browser.
    await subscription?.unsubscribe();
    localStorage.removeItem(ENTRY);
  }
}

async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker?.getRegistration(BASE_PATH);
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** A subscription belongs to the key of the service, which changes when SECRET_KEY is replaced. */
async function subscribe(publicKey: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  if (before && inBase64Url(before.options.applicationServerKey) === publicKey) return before;
  await before?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

async function store(accountId: string, subscription: PushSubscription): Promise<void> {
  const [p256dh, auth] = [inBase64Url(subscription.getKey('p256dh')), inBase64Url(subscription.getKey('auth'))];
  const { id } = await api.push.add({ endpoint: subscription.endpoint, p256dh, auth, language: code });
  localStorage.setItem(ENTRY, `${accountId} ${id}`);
}

function inBase64Url(bytes: ArrayBuffer | null): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
