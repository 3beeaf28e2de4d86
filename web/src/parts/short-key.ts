/** Returns a public key as its first and last characters, for places where the whole one is in reach. */
export function shortKey(pubkey: string): string {
  return `${pubkey.slice(0, 10)}…${pubkey.slice(-6)}`;
}
