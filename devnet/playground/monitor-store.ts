import { IOError, KVStore, Result_CVec_StrZIOErrorZ, Result_CVec_u8ZIOErrorZ, Result_NoneIOErrorZ } from 'lightningdevkit';
import type { NodeName } from '../../src/lightning/test-network.ts';
import type { Fault } from './fault.ts';
import type { Store } from './store.ts';

/**
 * Where LDK's native persister keeps channel monitors and their updates: rows of the transaction that is open anyway. That makes a
 * monitor and the channel manager that belongs to it durable together; a manager older than a monitor would cost every channel.
 */
export function monitorStore(node: NodeName, store: Store, fault: Fault): KVStore {
  // An error returned from here would make LDK panic. The fault stops the slice before its commit instead.
  return KVStore.new_impl({
    read: (primary, secondary, key) =>
      fault.guard(
        () => {
          const value = readLdk(store, node, `${primary}/${secondary}`, key);
          return value
            ? Result_CVec_u8ZIOErrorZ.constructor_ok(value)
            : Result_CVec_u8ZIOErrorZ.constructor_err(IOError.LDKIOError_NotFound);
        },
        () => Result_CVec_u8ZIOErrorZ.constructor_err(IOError.LDKIOError_Other),
      ),
    write: (primary, secondary, key, value) => done(fault, () => writeLdk(store, node, `${primary}/${secondary}`, key, value)),
    remove: (primary, secondary, key) =>
      done(fault, () => {
        store.run('DELETE FROM ldk WHERE node = ? AND space = ? AND key = ?', node, `${primary}/${secondary}`, key);
      }),
    list: (primary, secondary) =>
      fault.guard(
        () => {
          const rows = store.all('SELECT key FROM ldk WHERE node = ? AND space = ?', node, `${primary}/${secondary}`);
          return Result_CVec_StrZIOErrorZ.constructor_ok(rows.map((row) => row.key as string));
        },
        () => Result_CVec_StrZIOErrorZ.constructor_err(IOError.LDKIOError_Other),
      ),
  });
}

/** A value of a node's LDK state that is not in the persister's hands, like the channel manager. */
export function readLdk(store: Store, node: NodeName, space: string, key: string): Uint8Array | undefined {
  return store.get('SELECT value FROM ldk WHERE node = ? AND space = ? AND key = ?', node, space, key)?.value as Uint8Array | undefined;
}

export function writeLdk(store: Store, node: NodeName, space: string, key: string, value: Uint8Array): void {
  store.run('INSERT OR REPLACE INTO ldk (node, space, key, value) VALUES (?, ?, ?, ?)', node, space, key, value);
}

function done(fault: Fault, write: () => void): Result_NoneIOErrorZ {
  fault.guard(write, () => undefined);
  return Result_NoneIOErrorZ.constructor_ok();
}
