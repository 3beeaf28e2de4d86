import { isJsonObject, parseJson } from '../../../core/kernel/json.ts';
import type { GetOptions, Outbound } from '../../../core/outbound/outbound.ts';
import { insideAddress } from '../../../http/limits/addresses.ts';

/** Sends a request to this service inside the process. */
export type InnerRequest = (request: {
  method: 'GET';
  url: string;
  headers: Record<string, string>;
  remoteAddress: string;
}) => Promise<{ readonly payload: string }>;

/** The client that fetches links: the outbound client, or what replaces it for links of this service. */
export type LinkClient = Pick<Outbound, 'getJson'>;

/** The public routes of LNURL: other paths of this service are not reached from a link. */
const PUBLIC_PATH = /^\/(?:\.well-known\/lnurlp\/[^/?#]+|v1\/(?:user\/)?wallet\/[^/?#]+\/(?:lnurl-process|lnurlp\/[^/?#]+))$/;

/** The wallet, or only the account, for which a link is fetched. */
export interface LinkPayer {
  readonly accountId: string;
  readonly walletId?: string;
}

interface OwnLinksOptions {
  readonly outbound: LinkClient;
  readonly publicUrl: string;
  readonly addressDomains: readonly string[];
  /** See `Config`. */
  readonly localHosts: readonly string[];
}

/**
 * Fetches links and addresses of this service inside the process, and all others over the network. The host of this service may be private,
 * or unreachable from where the service runs. A payment between its wallets must not depend on its certificate or proxy. Only hosts of the
 * configuration are those of this service: a name that resolves to its address is a host of others.
 */
export class OwnLinks {
  readonly #outbound: LinkClient;
  readonly #hosts: ReadonlySet<string>;
  readonly #basePath: string;
  #request: InnerRequest | undefined;

  constructor({ outbound, publicUrl, addressDomains, localHosts }: OwnLinksOptions) {
    const { host, pathname } = new URL(publicUrl);
    this.#outbound = outbound;
    this.#hosts = new Set([host, ...addressDomains, ...localHosts]);
    this.#basePath = pathname.replace(/\/$/, '');
  }

  /** Sets the service that answers. Until then, all requests go over the network. */
  answerWith(request: InnerRequest): void {
    this.#request = request;
  }

  /** Returns the client of a payer. Inside the process, the limits count its requests as those of an address of the payer. */
  clientOf({ accountId, walletId }: LinkPayer): LinkClient {
    const remoteAddress = insideAddress(accountId, walletId);
    return { getJson: (url, options) => this.#getJson(url, options, remoteAddress) };
  }

  /** Returns whether a URL is a public link of this service. */
  isOwn(url: string): boolean {
    return this.#ownPath(url) !== undefined;
  }

  async #getJson(url: string, options: GetOptions | undefined, remoteAddress: string): Promise<{ status: number; body: unknown }> {
    const path = this.#ownPath(url);
    if (path === undefined || this.#request === undefined) return this.#outbound.getJson(url, options);
    const { host } = new URL(url);
    const { payload } = await this.#request({ method: 'GET', url: path, headers: { host, accept: 'application/json' }, remoteAddress });
    const body = parseJson(payload);
    return { status: 200, body: isJsonObject(body) ? body : undefined };
  }

  /** Returns the path and query of a public link of this service. */
  #ownPath(text: string): string | undefined {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol) || !this.#hosts.has(url.host)) return undefined;
    const path = url.pathname.startsWith(`${this.#basePath}/`) ? url.pathname.slice(this.#basePath.length) : url.pathname;
    return PUBLIC_PATH.test(path) ? `${path}${url.search}` : undefined;
  }
}
