import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { errorMessage } from '../../kernel/log.ts';
import { NotSent, readBody, requestOverHttps } from '../https-request.ts';
import { NodeUnavailable } from '../node.ts';
import { type LndCredentials, readCredentials } from './credentials.ts';
import { LndError, readError, toNodeError } from './errors.ts';
import { readLines } from './response.ts';
import { type LndAddress, publicLndAddress } from './url.ts';

export interface LndRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly body?: object | undefined;
  /** How long a call may take. */
  readonly timeoutMs?: number | undefined;
  /** The response may take LND long, so its timeout does not mean that LND is unresponsive. */
  readonly mayTakeLong?: boolean;
}

/** A call that takes longer is broken. LND lists 10,000 invoices in 3.5 s. */
const CALL_MS = 15_000;
/** A connection that is unused for this long is closed: a firewall may have forgotten it. */
const IDLE_MS = 30_000;
/** Files are read again after this time, because LND renews its certificate and operators replace macaroons. */
const CREDENTIALS_MS = 1000;
/** A page of 1,000 invoices has about 1.2 MB. */
const MAX_BYTES = 64 * 2 ** 20;
const GRPC_PORT = 10_009;

/** Calls LND's REST interface. Connects only when it is used. */
export class LndTransport {
  readonly #address: LndAddress;
  #credentials: { readonly latest: Promise<LndCredentials>; readonly atMs: number } | undefined;
  /** The certificate of LND, which is accepted under any host name. */
  #pinned: string | undefined;
  /** For calls that end soon. */
  readonly #calls = this.#openAgent({ maxSockets: 32 });
  /** Each payment and each subscription occupies a socket until it ends. */
  readonly #streams = this.#openAgent({});
  readonly #closing = new AbortController();
  /** Since when this process observes whether the node responds, in Unix milliseconds. */
  readonly openedAtMs = Date.now();
  /** When the node last did not respond, in Unix milliseconds; 0: never. Requests of before may still wait in its buffers. */
  unresponsiveAtMs = 0;

  constructor(address: LndAddress) {
    this.#address = address;
  }

  /**
   * Sends a request and returns the response.
   * @throws NodeUnavailable when certainly nothing was sent or done. After any other error the outcome is unknown.
   */
  async call<T>(request: LndRequest): Promise<T> {
    const { timeoutMs = CALL_MS, mayTakeLong = false, method, path } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const text = await readBody(await this.#send(request, this.#calls, timeout), 'LND', MAX_BYTES);
      return JSON.parse(text) as T;
    } catch (error) {
      if (!timeout.aborted) throw error;
      if (!mayTakeLong) this.unresponsiveAtMs = Date.now();
      throw error instanceof NodeUnavailable ? error : new Error(`LND did not answer ${method} ${path} within ${timeoutMs} ms`);
    }
  }

  /** Reads a path. @throws like {@link call} */
  get<T>(path: string, limits: { readonly timeoutMs?: number; readonly mayTakeLong?: boolean } = {}): Promise<T> {
    return this.call<T>({ method: 'GET', path, ...limits });
  }

  /**
   * Sends a request and returns the messages of its response, which LND sends as they occur. The stream ends when LND ends it or when the
   * signal aborts.
   * @throws like {@link call}
   */
  async *stream<T>(request: LndRequest, signal: AbortSignal): AsyncGenerator<T, void> {
    if (signal.aborted) return;
    try {
      yield* readLines<T>(await this.#send(request, this.#streams, signal));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LndError)) this.unresponsiveAtMs = Date.now();
      throw error;
    }
  }

  close(): void {
    this.#closing.abort();
    this.#calls.destroy();
    this.#streams.destroy();
  }

  /** Node does not use the connection of a request again that has its own `checkServerIdentity`, so it is an option of the agent. */
  #openAgent(options: AgentOptions): Agent {
    const isPinned = (certificate: PeerCertificate) => this.#pinned !== undefined && isSame(this.#pinned, certificate);
    return new Agent({
      ...options,
      keepAlive: true,
      timeout: IDLE_MS,
      checkServerIdentity: (host, certificate) => (isPinned(certificate) ? undefined : checkServerIdentity(host, certificate)),
    });
  }

  /** Returns the response once its headers have arrived. @throws for a status other than 200. */
  async #send({ method, path, body, mayTakeLong }: LndRequest, agent: Agent, signal: AbortSignal): Promise<IncomingMessage> {
    if (this.#closing.signal.aborted) throw new NodeUnavailable('the connection to LND is closed');
    const { ca, macaroon } = await this.#readCredentials();
    this.#pinned = ca;
    const text = body === undefined ? '' : JSON.stringify(body);
    const { host, port } = this.#address;
    const headers = {
      'grpc-metadata-macaroon': macaroon,
      ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const options: RequestOptions = { host, port, agent, method, path, headers, ...(ca !== undefined && { ca }) };
    const response = await requestOverHttps(options, text, AbortSignal.any([signal, this.#closing.signal])).catch((error) => {
      if (!mayTakeLong || !signal.aborted) this.unresponsiveAtMs = Date.now();
      throw error instanceof NotSent ? this.#unreachable(error.cause) : this.#lost(error);
    });
    if (response.statusCode === 200) return response;
    throw toNodeError(readError(response.statusCode ?? 0, await readBody(response, 'LND', MAX_BYTES)));
  }

  #readCredentials(): Promise<LndCredentials> {
    const nowMs = performance.now();
    if (!this.#credentials || nowMs - this.#credentials.atMs > CREDENTIALS_MS)
      this.#credentials = { latest: readCredentials(this.#address), atMs: nowMs };
    return this.#credentials.latest;
  }

  #unreachable({ code = '', message }: NodeJS.ErrnoException): NodeUnavailable {
    const isPublic = SELF_SIGNED.includes(code) && !this.#address.certificate;
    const remedy = 'no public authority has signed its certificate: add cert=/path/tls.cert to LIGHTNING_URL';
    const reason = isPublic ? `${remedy} (${code})` : (EXPLANATIONS[code] ?? message);
    return new NodeUnavailable(`${publicLndAddress(this.#address)} cannot be reached: ${reason}${this.#hintOfPort()}`);
  }

  /** The outcome of the request is unknown. */
  #lost(cause: unknown): Error {
    return new Error(`${publicLndAddress(this.#address)} did not answer: ${errorMessage(cause)}${this.#hintOfPort()}`, { cause });
  }

  #hintOfPort(): string {
    return this.#address.port === GRPC_PORT ? '; 10009 is usually the port of gRPC: use that of REST, usually 8080' : '';
  }
}

function isSame(ca: string, { raw }: PeerCertificate): boolean {
  try {
    return new X509Certificate(ca).raw.equals(raw);
  } catch {
    return false;
  }
}

const SELF_SIGNED = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
const OTHER_CERTIFICATE = [...SELF_SIGNED, 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_SIGNATURE_FAILURE'];

/** What the operator can do about an error that Node reports for a connection. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there (ECONNREFUSED): start LND, or correct host and port to those of restlisten',
  ENOTFOUND: 'the host name is unknown (ENOTFOUND): correct it in LIGHTNING_URL',
  ECONNRESET: 'the server there does not use TLS (ECONNRESET): use the port of LND’s REST interface, usually 8080',
  EPROTO: 'the server there does not use TLS (EPROTO): use the port of LND’s REST interface, usually 8080',
  CERT_HAS_EXPIRED: 'its certificate has expired: delete tls.cert and tls.key, restart LND, and copy the new tls.cert (CERT_HAS_EXPIRED)',
  ...Object.fromEntries(
    OTHER_CERTIFICATE.map((code) => [
      code,
      `its certificate is not the one in LIGHTNING_URL: copy the current tls.cert of the node (${code})`,
    ]),
  ),
};
