import { Option_SocketAddressZ, SocketDescriptor } from 'lightningdevkit';
import { bytesOf, unwrap } from './bindings.ts';
import type { Fault } from './fault.ts';
import type { LdkNode } from './ldk-node.ts';

let lastSocket = 0n;

/** A connection between two nodes in this process: two queues instead of sockets. */
export class Wire {
  readonly #ends: readonly [WireEnd, WireEnd];

  /** Connects the nodes; the handshake runs with the following deliveries. */
  constructor(from: LdkNode, to: LdkNode, fault: Fault) {
    const queueToFrom: Uint8Array[] = [];
    const queueToTo: Uint8Array[] = [];
    const fromEnd = new WireEnd(from, queueToFrom, queueToTo, fault);
    const toEnd = new WireEnd(to, queueToTo, queueToFrom, fault);
    this.#ends = [fromEnd, toEnd];
    const nowhere = Option_SocketAddressZ.constructor_none();
    unwrap(to.peers.new_inbound_connection(toEnd.socket, nowhere), 'accept a connection');
    const first = from.peers.new_outbound_connection(bytesOf(to.pubkey), fromEnd.socket, nowhere);
    queueToTo.push(unwrap<Uint8Array>(first, 'open a connection'));
  }

  /** Hands over what was sent since; false when there was nothing. */
  deliver(): boolean {
    // Not `||`: both directions must move.
    return [this.#ends[0].read(), this.#ends[1].read()].includes(true);
  }
}

class WireEnd {
  readonly socket: SocketDescriptor;
  readonly #node: LdkNode;
  readonly #incoming: Uint8Array[];

  constructor(node: LdkNode, incoming: Uint8Array[], outgoing: Uint8Array[], fault: Fault) {
    this.#node = node;
    this.#incoming = incoming;
    const id = ++lastSocket;
    this.socket = SocketDescriptor.new_impl({
      send_data: (data) => {
        // Only queued: LDK must not be entered again from inside its own call.
        if (data.length > 0) outgoing.push(data);
        return data.length;
      },
      // The nodes have no reason to part; after a restart they meet again.
      disconnect_socket: () => fault.note(new Error(`${node.name} hung up on its peer`)),
      eq: (other) => other.hash() === id,
      hash: () => id,
    });
  }

  read(): boolean {
    const pending = this.#incoming.splice(0);
    for (const data of pending) unwrap(this.#node.peers.read_event(this.socket, data), 'read a message of a peer');
    return pending.length > 0;
  }
}
