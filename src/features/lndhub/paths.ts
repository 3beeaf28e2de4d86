import { LNDHUB_PATH } from '../keys/lndhub-link.ts';

/** The paths of the API that the service has for nothing else. `/getinfo` is a route of its own. */
const AT_ROOT =
  /^\/+(auth|create|addinvoice|payinvoice|keysend|balance|gettxs|getuserinvoices|checkpayment\/[^/?]+|decodeinvoice|checkrouteinvoice|getpending|getbtc)\/?(?=$|\?)/;

/**
 * Returns the path of a request as the routes have it. Apps append `/balance` to an address that may end with a slash. Links of lndhub.go and
 * LndHub.js have no path, and no app can change the address of a wallet.
 */
export function appPath(url: string, { isAtRoot }: { readonly isAtRoot: boolean }): string {
  if (url.startsWith('/lndhub/')) return url.replace(/^[^?]+/, (path) => path.replaceAll(/\/{2,}/g, '/'));
  return isAtRoot ? url.replace(AT_ROOT, (_, path: string) => `${LNDHUB_PATH}/${path}`).replace(/^\/+getinfo(?=$|[/?])/, '/getinfo') : url;
}
