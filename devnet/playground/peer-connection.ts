import * as ldk from 'lightningdevkit';
import { bytesOf, type CallbackErrors, unwrap } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';

let lastSocket = 0n;

/** A connection between two nodes in this process, with two queues in place of sockets. */
export class PeerConnection {
  readonly #ends: readonly [ConnectionEnd, ConnectionEnd];

  /** The following deliveries complete the handshake. */
  constructor(from: LdkNode, to: LdkNode, errors: CallbackErrors) {
    const queueToFrom: Uint8Array[] = [];
    const queueToTo: Uint8Array[] = [];
    const fromEnd = new ConnectionEnd(from, queueToFrom, queueToTo, errors);
    const toEnd = new ConnectionEnd(to, queueToTo, queueToFrom, errors);
    this.#ends = [fromEnd, toEnd];
    const nowhere = ldk.Option_SocketAddressZ.constructor_none();
    unwrap(to.peers.new_inbound_connection(toEnd.socket, nowhere), 'accept a connection');
    const first = from.peers.new_outbound_connection(bytesOf(to.pubkey), fromEnd.socket, nowhere);
    queueToTo.push(unwrap<Uint8Array>(first, 'open a connection'));
  }

  /** Delivers the messages that were sent since the last call. Returns whether there were any. */
  deliver(): boolean {
    // Not `||`, because both directions must be read.
    return [this.#ends[0].read(), this.#ends[1].read()].includes(true);
  }
}

class ConnectionEnd {
  readonly socket: ldk.SocketDescriptor;
  readonly #node: LdkNode;
  readonly #incoming: Uint8Array[];

  constructor(node: LdkNode, incoming: Uint8Array[], outgoing: Uint8Array[], errors: CallbackErrors) {
    this.#node = node;
    this.#incoming = incoming;
    const id = ++lastSocket;
    this.socket = ldk.SocketDescriptor.new_impl({
      send_data: (data) => {
        // Only queued, because LDK must not be called from inside its own call.
        if (data.length > 0) outgoing.push(data);
        return data.length;
      },
      disconnect_socket: () => errors.add(new Error(`${node.name} disconnected its peer`)),
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
