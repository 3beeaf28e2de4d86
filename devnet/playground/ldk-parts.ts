import { randomBytes } from 'node:crypto';
import {
  BroadcasterInterface,
  ChainMonitor,
  DefaultMessageRouter,
  DefaultRouter,
  FeeEstimator,
  IgnoringMessageHandler,
  KeysManager,
  Level,
  Logger,
  MonitorUpdatingPersister,
  MultiThreadedLockableScore,
  Network,
  NetworkGraph,
  Option_FilterZ,
  ProbabilisticScorer,
  ProbabilisticScoringDecayParameters,
  ProbabilisticScoringFeeParameters,
} from 'lightningdevkit';
import type { Log } from '../../src/kernel/log.ts';
import type { NodeName } from '../../src/lightning/test-network.ts';
import { unwrap } from './bindings.ts';
import type { Fault } from './fault.ts';
import { monitorStore, readLdk, writeLdk } from './monitor-store.ts';
import type { Store } from './store.ts';

/** What every node is made with. */
export interface Surroundings {
  readonly store: Store;
  readonly fault: Fault;
  readonly log: Log;
  /** Takes transactions that a node wants in the chain. */
  broadcast(txs: Uint8Array[]): void;
}

/** In satoshis per 1000 weight: the least that nodes relay. */
const FEE_RATE = 253;

/** Full channel monitors are written again after this many updates of one. */
const UPDATES_PER_MONITOR = 100n;

/** The pieces of an LDK node that exist before its channel manager. */
export type LdkParts = ReturnType<typeof makeParts>;

/**
 * Makes them, from the file where they were saved before.
 *
 * All of them must be kept referenced as long as the node lives: the bindings hold only weak references to what is implemented in JavaScript.
 */
export function makeParts(name: NodeName, around: Surroundings) {
  const logger = Logger.new_impl({
    log: (record) =>
      around.fault.guard(
        () => {
          if (record.get_level() >= Level.LDKLevel_Error) around.log.warn({ node: name, ldk: record.get_args() }, 'LDK reports an error');
        },
        () => undefined,
      ),
  });
  const fees = FeeEstimator.new_impl({ get_est_sat_per_1000_weight: () => FEE_RATE });
  const broadcaster = BroadcasterInterface.new_impl({
    broadcast_transactions: (txs) =>
      around.fault.guard(
        () => around.broadcast(txs),
        () => undefined,
      ),
  });
  const keys = KeysManager.constructor_new(
    seedOf(name, around.store),
    BigInt(Math.floor(Date.now() / 1000)),
    randomBytes(4).readUInt32LE() >>> 2,
  );
  const entropy = keys.as_EntropySource();
  const signer = keys.as_NodeSigner();
  const signers = keys.as_SignerProvider();
  const kv = monitorStore(name, around.store, around.fault);
  const persister = MonitorUpdatingPersister.constructor_new(kv, logger, UPDATES_PER_MONITOR, entropy, signers, broadcaster, fees);
  const persist = persister.as_Persist();
  const chainMonitor = ChainMonitor.constructor_new(Option_FilterZ.constructor_none(), broadcaster, logger, fees, persist);
  const graph = graphOf(name, around.store, logger);
  const scorer = ProbabilisticScorer.constructor_new(ProbabilisticScoringDecayParameters.constructor_default(), graph, logger);
  const scoreParameters = ProbabilisticScoringFeeParameters.constructor_default();
  const score = scorer.as_Score();
  const lockableScore = MultiThreadedLockableScore.constructor_new(score);
  const scoreLookup = lockableScore.as_LockableScore();
  const defaultRouter = DefaultRouter.constructor_new(graph, logger, entropy, scoreLookup, scoreParameters);
  const defaultMessageRouter = DefaultMessageRouter.constructor_new(graph, entropy);
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
    ignore: IgnoringMessageHandler.constructor_new(),
    kept: [kv, persist, scorer, scoreParameters, score, lockableScore, scoreLookup, defaultRouter, defaultMessageRouter],
  };
}

/**
 * Saves what a node knows of the network. Needed only after channels were made: without it a restarted node would know no channel but its own,
 * since nobody announces again.
 */
export function saveGraph(name: NodeName, store: Store, graph: NetworkGraph): void {
  writeLdk(store, name, '', 'graph', graph.write());
}

function graphOf(name: NodeName, store: Store, logger: Logger): NetworkGraph {
  const saved = readLdk(store, name, '', 'graph');
  if (!saved) return NetworkGraph.constructor_new(Network.LDKNetwork_Regtest, logger);
  return unwrap<NetworkGraph>(NetworkGraph.constructor_read(saved, logger), `read the network graph of ${name}`);
}

function seedOf(name: NodeName, store: Store): Uint8Array {
  const saved = readLdk(store, name, '', 'seed');
  if (saved) return saved;
  const seed = new Uint8Array(randomBytes(32));
  writeLdk(store, name, '', 'seed', seed);
  return seed;
}
