/**
 * A plugin of lightningd for tests. It reads the chain from btcd, because Bitcoin Core is not needed for anything else. With HOLDS=1 it also
 * holds the payments of chosen invoices at the receiver.
 *
 * lightningd aborts when its backend returns an error or stops, so a request waits while btcd cannot be reached.
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { btcdClient } from './btcd-client.ts';

interface Request {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | readonly unknown[];
}

const btcd = btcdClient(Number(process.env.BTCD_PORT));
const HOLDS = process.env.HOLDS === '1';

/** Releases the HTLCs of a held payment hash. */
const held = new Map<string, PromiseWithResolvers<'settle' | 'cancel'>>();

const METHODS: Record<string, (params: Record<string, unknown>) => unknown> = {
  getmanifest: () => ({
    dynamic: false,
    options: [],
    rpcmethods: [...Object.keys(METHODS)]
      .filter((name) => !['getmanifest', 'init', 'htlc_accepted'].includes(name))
      .map((name) => ({ name, usage: '[a] [b]', description: 'test' })),
    hooks: HOLDS ? [{ name: 'htlc_accepted' }] : [],
    subscriptions: [],
  }),
  init: () => ({}),
  async getchaininfo() {
    const { blocks } = await btcd<{ blocks: number }>('getblockchaininfo');
    return { chain: 'regtest', headercount: blocks, blockcount: blocks, ibd: false };
  },
  async getrawblockbyheight({ height }) {
    try {
      const blockhash = await btcd<string>('getblockhash', Number(height));
      return { blockhash, block: await btcd<string>('getblock', blockhash, 0) };
    } catch {
      return { blockhash: null, block: null };
    }
  },
  async getutxout({ txid, vout }) {
    const output = await btcd<{ value: number; scriptPubKey: { hex: string } } | null>('gettxout', txid, Number(vout), true).catch(
      () => null,
    );
    return output ? { amount: Math.round(output.value * 1e8), script: output.scriptPubKey.hex } : { amount: null, script: null };
  },
  estimatefees: () => ({ feerate_floor: 1000, feerates: [2, 6, 12, 100].map((blocks) => ({ blocks, feerate: 1000 })) }),
  async sendrawtransaction({ tx }) {
    try {
      await btcd('sendrawtransaction', tx);
      return { success: true, errmsg: '' };
    } catch (error) {
      const isKnown = String(error).includes('already have transaction');
      return { success: isKnown, errmsg: isKnown ? '' : String(error) };
    }
  },
  holdhash({ a }) {
    held.set(String(a), Promise.withResolvers());
    return {};
  },
  releasehash({ a, b }) {
    held.get(String(a))?.resolve(b as 'settle' | 'cancel');
    return {};
  },
  async htlc_accepted({ htlc }) {
    const { payment_hash: hash, amount_msat: amount } = htlc as { payment_hash: string; amount_msat: number };
    if ((await held.get(hash)?.promise) !== 'cancel') return { result: 'continue' };
    // incorrect_or_unknown_payment_details, with the amount and the height. Source: BOLT 4.
    const { blocks } = await btcd<{ blocks: number }>('getblockchaininfo');
    const details = BigInt(amount).toString(16).padStart(16, '0') + blocks.toString(16).padStart(8, '0');
    return { result: 'fail', failure_message: `400f${details}` };
  },
};

async function respond({ id, method, params = {} }: Request): Promise<void> {
  const names = method.endsWith('hash') ? ['a', 'b'] : ['txid', 'vout'];
  const named = Array.isArray(params) ? Object.fromEntries(params.map((value, index) => [names[index], value])) : params;
  const result = await METHODS[method]?.(named as Record<string, unknown>);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
}

let text = '';
for await (const line of createInterface({ input: process.stdin })) {
  text += line;
  let request: Request;
  try {
    request = JSON.parse(text) as Request;
  } catch {
    continue;
  }
  text = '';
  void respond(request);
}
await delay(0);
process.exit(0);
