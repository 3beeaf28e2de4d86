import type { Log } from '../../src/core/kernel/log.ts';
import type { TestNetwork } from '../test-network.ts';
import { FakeNetwork } from './fake.ts';
import { parseFakeUrl } from './fake-url.ts';
import { openFakeFile } from './file.ts';
import { realTime } from './time.ts';

export interface FakeOptions {
  /** `fake:` or `fake:?seed=…&faults=…` */
  readonly url: string;
  /** The directory of `fake.db`. Only one process can use the file at a time. */
  readonly dataDir: string;
  readonly log: Log;
}

/** Opens the fake node for a running service, in real time and with persistent state. @throws InvalidFakeUrl, FakeFileRefused */
export function openFake({ url, dataDir, log }: FakeOptions): TestNetwork {
  const { seed, rates, behaves } = parseFakeUrl(url);
  const file = openFakeFile(dataDir, seed);
  log.warn({ seed, rates }, 'the Lightning node is a FAKE: a test tool without real money, whose keys are derived from the public seed');
  const net = new FakeNetwork({ seed, rates, behaves, time: realTime, state: file.state, keep: file.keep });
  return { node: net.connect({ closed: file.close }), control: net.control };
}
