import { randomBytes } from 'node:crypto';
import * as ldk from 'lightningdevkit';
import type { Log } from '../../src/core/kernel/log.ts';
import { type CallbackErrors, unixNow, unwrap } from './bindings.ts';
import type { Store } from './store.ts';

/** What all nodes share. */
export interface Environment {
  readonly store: Store;
  readonly errors: CallbackErrors;
  readonly log: Log;
  /** Adds transactions to the next block. */
  broadcast(txs: Uint8Array[]): void;
}

/** The minimum relay fee, in satoshis per 1000 weight. */
const FEE_RATE = 253;

/** A full channel monitor is written after this many updates of it. */
const UPDATES_PER_MONITOR = 100n;

/** The parts of an LDK node that its channel manager needs. */
export type LdkParts = ReturnType<typeof makeParts>;

/**
 * Creates the parts of a node, or restores them from the file. All of them must stay referenced while the node is used, because the bindings
 * hold only weak references to objects implemented in JavaScript.
 */
export function makeParts(name: string, env: Environment) {
  const logger = ldk.Logger.new_impl({
    log: (record) => {
      env.errors.run(() => {
        if (record.get_level() >= ldk.Level.LDKLevel_Error) env.log.warn({ node: name, ldk: record.get_args() }, 'LDK reports an error');
      });
    },
  });
  const fees = ldk.FeeEstimator.new_impl({ get_est_sat_per_1000_weight: () => FEE_RATE });
  const broadcaster = ldk.BroadcasterInterface.new_impl({
    broadcast_transactions: (txs) => env.errors.run(() => env.broadcast(txs)),
  });
  const keys = ldk.KeysManager.constructor_new(seedOf(name, env.store), BigInt(unixNow()), randomBytes(4).readUInt32LE() >>> 2);
  const entropy = keys.as_EntropySource();
  const signer = keys.as_NodeSigner();
  const signers = keys.as_SignerProvider();
  const kv = monitorStore(name, env.store, env.errors);
  const persister = ldk.MonitorUpdatingPersister.constructor_new(kv, logger, UPDATES_PER_MONITOR, entropy, signers, broadcaster, fees);
  const persist = persister.as_Persist();
  const chainMonitor = ldk.ChainMonitor.constructor_new(ldk.Option_FilterZ.constructor_none(), broadcaster, logger, fees, persist);
  const graph = graphOf(name, env.store, logger);
  const scorer = ldk.ProbabilisticScorer.constructor_new(ldk.ProbabilisticScoringDecayParameters.constructor_default(), graph, logger);
  const scoreParameters = ldk.ProbabilisticScoringFeeParameters.constructor_default();
  const score = scorer.as_Score();
  const lockableScore = ldk.MultiThreadedLockableScore.constructor_new(score);
  const scoreLookup = lockableScore.as_LockableScore();
  const defaultRouter = ldk.DefaultRouter.constructor_new(graph, logger, entropy, scoreLookup, scoreParameters);
  const defaultMessageRouter = ldk.DefaultMessageRouter.constructor_new(graph, entropy);
  return {
    logger,
    fees,
    broadcaster,
    keys,
    entropy,
    signer,
    signers,
    persister,
    chainMonitor,
    graph,
    watch: chainMonitor.as_Watch(),
    confirm: chainMonitor.as_Confirm(),
    router: defaultRouter.as_Router(),
    messageRouter: defaultMessageRouter.as_MessageRouter(),
    ignore: ldk.IgnoringMessageHandler.constructor_new(),
    kept: [kv, persist, scorer, scoreParameters, score, lockableScore, scoreLookup, defaultRouter, defaultMessageRouter],
  };
}

function graphOf(name: string, store: Store, logger: ldk.Logger): ldk.NetworkGraph {
  const saved = readLdk(store, name, '', 'graph');
  if (!saved) return ldk.NetworkGraph.constructor_new(ldk.Network.LDKNetwork_Regtest, logger);
  return unwrap<ldk.NetworkGraph>(ldk.NetworkGraph.constructor_read(saved, logger), `read the network graph of ${name}`);
}

function seedOf(name: string, store: Store): Uint8Array {
  const saved = readLdk(store, name, '', 'seed');
  if (saved) return saved;
  const seed = new Uint8Array(randomBytes(32));
  writeLdk(store, name, '', 'seed', seed);
  return seed;
}

/**
 * Stores channel monitors and their updates for LDK's persister, in the transaction that is open. A monitor and its channel manager thus become
 * durable together. With a channel manager older than a monitor, LDK would close the channel.
 */
function monitorStore(node: string, store: Store, errors: CallbackErrors): ldk.KVStore {
  // LDK would panic if an error was returned from here. The recorded error prevents the commit instead.
  return ldk.KVStore.new_impl({
    read: (primary, secondary, key) =>
      errors.attempt(
        () => {
          const value = readLdk(store, node, `${primary}/${secondary}`, key);
          return value
            ? ldk.Result_CVec_u8ZIOErrorZ.constructor_ok(value)
            : ldk.Result_CVec_u8ZIOErrorZ.constructor_err(ldk.IOError.LDKIOError_NotFound);
        },
        () => ldk.Result_CVec_u8ZIOErrorZ.constructor_err(ldk.IOError.LDKIOError_Other),
      ),
    write: (primary, secondary, key, value) => written(errors, () => writeLdk(store, node, `${primary}/${secondary}`, key, value)),
    remove: (primary, secondary, key) =>
      written(errors, () => {
        store.run('DELETE FROM ldk WHERE node = ? AND space = ? AND key = ?', node, `${primary}/${secondary}`, key);
      }),
    list: (primary, secondary) =>
      errors.attempt(
        () => {
          const rows = store.all('SELECT key FROM ldk WHERE node = ? AND space = ?', node, `${primary}/${secondary}`);
          return ldk.Result_CVec_StrZIOErrorZ.constructor_ok(rows.map((row) => row.key as string));
        },
        () => ldk.Result_CVec_StrZIOErrorZ.constructor_err(ldk.IOError.LDKIOError_Other),
      ),
  });
}

/** Reads a value of a node's LDK state, such as its channel manager. */
export function readLdk(store: Store, node: string, space: string, key: string): Uint8Array | undefined {
  return store.get('SELECT value FROM ldk WHERE node = ? AND space = ? AND key = ?', node, space, key)?.value as Uint8Array | undefined;
}

export function writeLdk(store: Store, node: string, space: string, key: string, value: Uint8Array): void {
  store.run('INSERT OR REPLACE INTO ldk (node, space, key, value) VALUES (?, ?, ?, ?)', node, space, key, value);
}

function written(errors: CallbackErrors, write: () => void): ldk.Result_NoneIOErrorZ {
  errors.run(write);
  return ldk.Result_NoneIOErrorZ.constructor_ok();
}
