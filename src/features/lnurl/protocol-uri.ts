/**
 * Returns a URL with the scheme of its protocol in place of `https` (LUD-17); undefined for an http URL that is not an onion URL, because
 * wallets would call it with https.
 */
export function protocolUri(scheme: 'lnurlp' | 'lnurlw', url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || hostname.endsWith('.onion') ? url.replace(/^https?:/, `${scheme}:`) : undefined;
}
