import { DEFAULT_NODE, isNodeName, NODE_NAME_RULE } from './node-name.ts';

/** Commands are sent to `POST /<command>`, or `POST /<command>?node=<name>`, as JSON with the secret as bearer token. */
export interface PlaygroundAddress {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  /** The name of the service node, which is created when it is first used. */
  readonly node: string;
}

export const DEFAULT_PORT = 4022;
export const MAX_REQUEST_BYTES = 2 ** 20;
/** 483 payments can wait for the claim guard at once, and 256 events are read at once. A keysend with full records takes less than 3 kB. */
export const MAX_RESPONSE_BYTES = 4 * 2 ** 20;
/** The public key of the hub. Clients send it so that another playground on the same port rejects their commands. */
export const HUB_HEADER = 'playground-hub';

/** The secret is encoded as in the URL, because a header cannot carry every character. */
export function bearerToken(secret: string): string {
  return `Bearer ${encodeURIComponent(secret)}`;
}

/** Text that is not the URL of a shared playground. The message states the reason without repeating the text. */
export class InvalidPlaygroundUrl extends Error {
  override readonly name = 'InvalidPlaygroundUrl';

  constructor(reason: string) {
    super(`${reason}; use playground://host:port?secret=… as printed by satchel playground`);
  }
}

/** Parses `playground://host:port?secret=…&node=…`. The default port is 4022, the default node `hub`. @throws InvalidPlaygroundUrl */
export function parsePlaygroundUrl(text: string): PlaygroundAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'playground:') throw new InvalidPlaygroundUrl('this is not the URL of a shared playground');
  if (!url.hostname) throw new InvalidPlaygroundUrl('the URL of the shared playground has no host');
  const isPlain = !url.username && !url.password && !url.hash && (url.pathname === '' || url.pathname === '/');
  const keys = [...url.searchParams.keys()];
  if (!isPlain || new Set(keys).size < keys.length || keys.some((key) => key !== 'secret' && key !== 'node')) {
    throw new InvalidPlaygroundUrl('the URL of the shared playground has more than host, port, secret and node');
  }
  const secret = url.searchParams.get('secret');
  if (!secret) throw new InvalidPlaygroundUrl('the URL of the shared playground has no secret');
  const node = url.searchParams.get('node') ?? DEFAULT_NODE;
  if (!isNodeName(node)) throw new InvalidPlaygroundUrl(NODE_NAME_RULE);
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || DEFAULT_PORT), secret, node };
}

export function playgroundUrl(address: PlaygroundAddress): string {
  const node = address.node === DEFAULT_NODE ? '' : `&node=${address.node}`;
  return `${publicUrl(address)}?secret=${encodeURIComponent(address.secret)}${node}`;
}

/** Returns the URL without the secret, for messages and logs. */
export function publicUrl({ host, port }: Pick<PlaygroundAddress, 'host' | 'port'>): string {
  return `playground://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A request or a response is larger than allowed. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Reads the body of a request or a response. @throws TooLarge */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLarge(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
