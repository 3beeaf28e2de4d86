import { errorMessage } from '../../kernel/log.ts';
import { NodeUnavailable, NotPermitted } from '../node.ts';
import { meaningOf, ResponseLost, RpcError } from './errors.ts';
import type { ClnTransport } from './transport.ts';

// The parts of the results that the adapter uses, as version 26.06 returns them. Amounts are in msat.

export interface InvoiceRecord {
  readonly label: string;
  readonly bolt11?: string;
  readonly payment_hash: string;
  readonly status: 'unpaid' | 'paid' | 'expired';
  readonly updated_index?: number;
  readonly amount_received_msat?: number;
  readonly paid_at?: number;
  readonly payment_preimage?: string;
}

/** One part of an outgoing payment: an HTLC that was sent, or was about to be sent. */
export interface SendpayRow {
  readonly created_index: number;
  readonly updated_index?: number;
  readonly payment_hash: string;
  readonly status: 'pending' | 'complete' | 'failed';
  readonly label?: string;
  readonly amount_msat?: number;
  readonly amount_sent_msat: number;
  readonly created_at: number;
  readonly completed_at?: number;
  readonly payment_preimage?: string;
  readonly bolt11?: string;
}

export interface ChannelRecord {
  readonly peer_id: string;
  readonly state: string;
  readonly peer_connected: boolean;
  readonly reestablished?: boolean;
  readonly channel_id?: string;
  readonly short_channel_id?: string;
  readonly private?: boolean;
  readonly total_msat?: number;
  readonly to_us_msat?: number;
  readonly spendable_msat?: number;
  readonly receivable_msat?: number;
  readonly htlcs?: readonly ChannelHtlc[];
  /** Texts for people, oldest first, such as `ONCHAIN:All outputs resolved: waiting 90 more blocks before forgetting channel`. */
  readonly status?: readonly string[];
  readonly state_changes?: readonly { readonly new_state: string }[];
}

export interface ChannelHtlc {
  readonly direction: 'in' | 'out';
  readonly payment_hash: string;
  readonly amount_msat: number;
  readonly state: string;
}

export interface HtlcRecord {
  readonly created_index: number;
  readonly direction: 'in' | 'out';
  readonly payment_hash: string;
  readonly state: string;
}

/** A change of our balance, in a channel or on the chain. It never changes. */
export interface MoveRecord {
  readonly created_index: number;
  /** The channel; `external` for a payment of ours that a peer has claimed on the chain. */
  readonly account_id: string;
  readonly primary_tag: string;
  readonly payment_hash?: string;
  readonly credit_msat: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

export interface RouteStep {
  readonly short_channel_id_dir: string;
  readonly node_id_out: string;
  readonly amount_in_msat: number;
  readonly amount_out_msat: number;
  readonly cltv_in: number;
  readonly cltv_out: number;
}

interface Results {
  getinfo: {
    readonly id: string;
    readonly alias?: string;
    readonly version: string;
    readonly network: string;
    readonly blockheight: number;
    readonly num_active_channels: number;
    readonly num_inactive_channels: number;
    readonly warning_bitcoind_sync?: string;
    readonly warning_lightningd_sync?: string;
  };
  help: { readonly help: readonly unknown[] };
  'autoclean-status': { readonly autoclean: Readonly<Record<string, { readonly enabled: boolean }>> };
  invoice: { readonly bolt11: string };
  delinvoice: object;
  listinvoices: { readonly invoices: readonly InvoiceRecord[] };
  wait: { readonly created?: number; readonly updated?: number };
  xpay: { readonly payment_preimage: string };
  listsendpays: { readonly payments: readonly SendpayRow[] };
  listpays: { readonly pays: readonly { readonly status: string }[] };
  listhtlcs: { readonly htlcs: readonly HtlcRecord[] };
  listpeerchannels: { readonly channels: readonly ChannelRecord[] };
  listchannelmoves: { readonly channelmoves: readonly MoveRecord[] };
  listchainmoves: { readonly chainmoves: readonly MoveRecord[] };
  getroutes: { readonly routes: readonly { readonly path: readonly RouteStep[] }[] };
  datastore: object;
  listdatastore: { readonly datastore: readonly { readonly generation?: number; readonly string?: string }[] };
}

export type RpcMethod = keyof Results;

export type GetInfoResult = Results['getinfo'];

/** The methods that the rune must permit. */
export const METHODS: readonly RpcMethod[] = [
  'getinfo',
  'help',
  'autoclean-status',
  'invoice',
  'delinvoice',
  'listinvoices',
  'wait',
  'xpay',
  'listsendpays',
  'listpays',
  'listhtlcs',
  'listpeerchannels',
  'listchannelmoves',
  'listchainmoves',
  'getroutes',
  'datastore',
  'listdatastore',
];

/** The code of lightningd for a method that it does not have. */
const UNKNOWN_METHOD = -32601;
/** The time limit of a call that neither waits nor pays. */
const CALL_MS = 20_000;

interface CallLimits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Calls lightningd. */
export class ClnRpc {
  readonly #transport: ClnTransport;
  readonly #closing = new AbortController();

  constructor(transport: ClnTransport) {
    this.#transport = transport;
  }

  /** Makes a call that can be repeated. @throws RpcError, NodeUnavailable */
  async call<M extends RpcMethod>(method: M, params: object = {}, limits: CallLimits = {}): Promise<Results[M]> {
    try {
      return await this.send(method, params, limits);
    } catch (error) {
      throw error instanceof ResponseLost ? new NodeUnavailable(`${method}: ${error.message}`) : error;
    }
  }

  /** Makes a call that must not be repeated without a check. @throws RpcError, NodeUnavailable, ResponseLost */
  async send<M extends RpcMethod>(method: M, params: object, limits: CallLimits = {}): Promise<Results[M]> {
    try {
      return (await this.#exchange(method, params, limits)) as Results[M];
    } catch (error) {
      throw meaningOf(error) === 'not_permitted' ? refusalOf(method, error) : error;
    }
  }

  /** Returns whether lightningd or one of its plugins has a command. @throws NodeUnavailable */
  async hasCommand(command: string): Promise<boolean> {
    try {
      await this.#exchange('help', { command });
      return true;
    } catch (error) {
      if (error instanceof RpcError && error.message.startsWith('Unknown command')) return false;
      // A deprecated command exists, but has no help.
      if (error instanceof RpcError && error.message.startsWith('Deprecated command')) return true;
      throw error instanceof NodeUnavailable ? error : new NodeUnavailable(`help: ${errorMessage(error)}`);
    }
  }

  /** Breaks all connections. Later calls throw NodeUnavailable. */
  close(): void {
    this.#closing.abort(new Error('the connection to Core Lightning is closed'));
    this.#transport.close?.();
  }

  async #exchange(method: string, params: object, { timeoutMs = CALL_MS, signal }: CallLimits = {}): Promise<unknown> {
    const closed = this.#closing.signal;
    if (closed.aborted) throw new NodeUnavailable(errorMessage(closed.reason));
    const limit = new AbortController();
    // Memory would keep AbortSignal.timeout until the end of its time, which is an hour for each call of `wait`.
    const timer = setTimeout(() => limit.abort(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
    try {
      return await this.#transport.call(method, params, AbortSignal.any([closed, limit.signal, ...(signal ? [signal] : [])]));
    } finally {
      clearTimeout(timer);
    }
  }
}

function refusalOf(method: RpcMethod, error: unknown): NodeUnavailable {
  if (error instanceof RpcError && error.code === UNKNOWN_METHOD)
    return new NodeUnavailable(`the node does not have the method ${method}; Core Lightning 26.06 or later is required`);
  return new NotPermitted(
    `the rune is invalid, or does not permit the method ${method}; create one as described in docs/lightning/core-lightning.md`,
  );
}
