import type { Log } from '../../src/kernel/log.ts';
import type { TestNetwork } from '../../src/lightning/test-network.ts';
import { attach } from './carrier.ts';
import { Dialer } from './dialer.ts';
import { BEAT_MS } from './shared-protocol.ts';
import { parsePlaygroundUrl } from './shared-url.ts';

export { InvalidPlaygroundUrl, type PlaygroundAddress, parsePlaygroundUrl } from './shared-url.ts';

export interface SharedPlaygroundOptions {
  /** `playground://host:port?secret=…` */
  readonly url: string;
  readonly log: Log;
  /** Both sides say this often that they are there; one that is silent three times is given up. Shorter in tests. */
  readonly beatMs?: number;
}

/**
 * A playground that runs by itself (`npm run playground`) and may serve other instances too. Opening it never waits: while the playground is away,
 * calls throw NodeUnavailable after two seconds, and once it is back they work. A call that was under way when the connection broke
 * throws another error, unless it only asks; then it is asked again.
 * @throws InvalidPlaygroundUrl
 */
export async function openSharedPlayground({ url, log, beatMs = BEAT_MS }: SharedPlaygroundOptions): Promise<TestNetwork> {
  const dialer = new Dialer({ ...parsePlaygroundUrl(url), log, beatMs });
  const { playground, listener } = attach(dialer, log);
  dialer.start(listener);
  return playground;
}
