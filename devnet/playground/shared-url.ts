import { DEFAULT_PORT } from './shared-protocol.ts';

export interface PlaygroundAddress {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
}

/** The text is no address of a shared playground. The message says why and repeats nothing of it. */
export class InvalidPlaygroundUrl extends Error {
  override readonly name = 'InvalidPlaygroundUrl';

  constructor(why: string) {
    super(`a shared playground's address is playground://host:port?secret=…, as npm run playground prints it; ${why}`);
  }
}

/** Reads `playground://host:port?secret=…`; the port is 4022 when absent. @throws InvalidPlaygroundUrl */
export function parsePlaygroundUrl(text: string): PlaygroundAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'playground:') throw new InvalidPlaygroundUrl('this is none');
  if (!url.hostname) throw new InvalidPlaygroundUrl('here the host is missing');
  const plain = !url.username && !url.password && !url.hash && (url.pathname === '' || url.pathname === '/');
  const [secret, ...more] = url.searchParams.getAll('secret');
  if (!plain || more.length > 0 || [...url.searchParams.keys()].some((key) => key !== 'secret')) {
    throw new InvalidPlaygroundUrl('here is more than host, port and secret');
  }
  if (!secret) throw new InvalidPlaygroundUrl('here the secret is missing');
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || DEFAULT_PORT), secret };
}

export function playgroundUrl(address: PlaygroundAddress): string {
  return `${publicPart(address)}?secret=${encodeURIComponent(address.secret)}`;
}

/** What may be shown and logged. */
export function publicPart({ host, port }: PlaygroundAddress): string {
  return `playground://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
