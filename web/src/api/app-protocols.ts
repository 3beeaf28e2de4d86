/** The protocols over which the service connects apps: the service writes them into the page. */
const PROTOCOLS = document.querySelector<HTMLMetaElement>('meta[name="satchel-apps"]')?.content.split(' ') ?? [];

/** Nostr Wallet Connect needs relays, which the operator sets. */
export const HAS_NWC = PROTOCOLS.includes('nwc');

export const HAS_LNDHUB = PROTOCOLS.includes('lndhub');
