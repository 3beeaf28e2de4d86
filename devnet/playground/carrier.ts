import type { Log } from '../../src/kernel/log.ts';
import type { TestNetwork } from '../../src/lightning/test-network.ts';
import { Bell } from './bell.ts';
import { playgroundControl } from './control.ts';
import { Gate } from './gate.ts';
import { hubNode } from './hub.ts';
import type { Call } from './link.ts';
import type { Notice } from './protocol.ts';

/** What brings commands to a playground and answers back: a thread's messages, or a connection. */
export interface Carrier {
  readonly call: Call;
  close(): Promise<void>;
}

/** Who is told what the playground says unasked. */
export interface Listener {
  news(notice: Notice): void;
  /** The playground can be asked, for the first time or again: notices may have been missed. */
  ready(): void;
}

/** The playground at the other end of a carrier; the carrier is to tell the listener. */
export function attach(carrier: Carrier, log: Log): { readonly playground: TestNetwork; readonly listener: Listener } {
  const { call } = carrier;
  const bell = new Bell();
  const gate = new Gate(call, log);
  const closing = new AbortController();
  const close = async (): Promise<void> => {
    gate.close();
    closing.abort();
    await carrier.close();
  };
  const node = hubNode({ call, gate, bell, closing: closing.signal, close });
  const listener: Listener = {
    news: (notice) => (notice.type === 'asks' ? gate.take(notice.asks) : bell.ring(notice.newest)),
    ready: () => {
      bell.restart();
      void gate.askAgain();
    },
  };
  return { playground: { node, control: playgroundControl(call) }, listener };
}
