import type { Log } from '../../kernel/log.ts';
import type { LightningNode } from '../node.ts';
import { Bell } from './bell.ts';
import { type PlaygroundControl, playgroundControl } from './control.ts';
import { Gate } from './gate.ts';
import { hubNode } from './hub.ts';
import { Supervisor } from './supervisor.ts';

export type { PlaygroundControl } from './control.ts';
export { PlaygroundRefusal } from './playground-refusal.ts';
export type {
  HoldAction,
  OutsideInvoice,
  OutsideInvoiceRequest,
  OutsideKeysendRequest,
  OutsidePayment,
  OutsidePayRequest,
  PlaygroundDescription,
} from './protocol.ts';

/** A real Lightning network in a worker thread: our node, and the hand that moves the others. */
export interface Playground {
  readonly node: LightningNode;
  readonly control: PlaygroundControl;
}

export interface PlaygroundOptions {
  /** Holds `playground.db`, which only one process may use at a time. */
  readonly dataDir: string;
  readonly log: Log;
  /** Another worker file, for tests of what happens when it breaks. */
  readonly worker?: URL;
}

/**
 * Opens the playground, and makes it when the directory has none: three LDK nodes (`hub`, which is ours, `alice`, `carol`) with channels of
 * 50 BTC on a private regtest chain. Its state survives the end of the process at any moment. `node.close()` ends it.
 * @throws when it cannot start, for example because another process uses the directory.
 */
export async function openPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { dataDir, log, worker = new URL('./worker.ts', import.meta.url) } = options;
  const bell = new Bell();
  const closing = new AbortController();
  const supervisor: Supervisor = new Supervisor(
    { dataDir, log, worker },
    {
      asks: (asks) => gate.take(asks),
      events: (newest) => bell.ring(newest),
      started: () => {
        bell.wakeAll();
        void gate.askAgain();
      },
    },
  );
  const { call } = supervisor;
  const gate = new Gate(call, log);
  await supervisor.start();
  const close = async (): Promise<void> => {
    gate.close();
    closing.abort();
    await supervisor.close();
  };
  return { node: hubNode({ call, gate, bell, closing: closing.signal, close }), control: playgroundControl(call) };
}
