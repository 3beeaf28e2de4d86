import { createFees } from '../src/core/fees/fees.ts';
import { systemClock } from '../src/core/kernel/clock.ts';
import { newId } from '../src/core/kernel/ids.ts';
import { msat } from '../src/core/kernel/money.ts';
import type { Receipt } from '../src/core/ledger/posting.ts';
import { createLimits } from '../src/core/limits/limits.ts';
import { transferBetween, type WalletTransfer } from '../src/core/payments/transfer.ts';
import { transferRoutes, transferSchema } from '../src/features/payments/transfer-routes.ts';
import type { App } from '../src/http/app-type.ts';
import { bareServer, postRequest, type Serving, type Web } from './web.ts';

type Deps = Parameters<typeof transferRoutes>[1];
type RouteParts = Pick<Web, 'access' | 'runIdempotent' | 'wallets' | 'objects'>;

/** The service's transfer route with a ledger. */
export function withLedger({ access, runIdempotent, wallets, objects, ledger, database }: Web): (app: App) => void {
  return transferRoute({ access, runIdempotent, wallets, objects }, (order) =>
    transferBetween(
      {
        database,
        ledger,
        fees: createFees({ database, clock: systemClock }),
        limits: createLimits({ database, clock: systemClock }),
        clock: systemClock,
      },
      order,
    ),
  );
}

/** The same route without a ledger: it returns a constant receipt. */
export function withoutLedger({ access, runIdempotent, wallets, objects }: RouteParts): (app: App) => void {
  return transferRoute({ access, runIdempotent, wallets, objects }, async (order) => receiptOf(order));
}

/** A bare Fastify route with the body and the response of a transfer. */
export function bareTransfers(secretKey: string, answer: unknown): Promise<Serving> {
  return bareServer({ secretKey, body: transferSchema.body, response: transferSchema.response }, answer);
}

function transferRoute(deps: RouteParts, transfer: Deps['payments']['transfer']): (app: App) => void {
  // Only the transfer route is called. It uses no other dependency.
  const all = { ...deps, payments: { transfer } } as unknown as Deps;
  return (app) => transferRoutes(app, all);
}

/** Returns transfer requests between the funded wallets. `more` holds extra header lines, each with its line end. */
export function transferRequests({ secretKey, funded }: Web, more = ''): string[] {
  return funded.map(({ id }, i) => {
    const destination = funded[(i * 7 + 1) % funded.length]?.id;
    return postRequest(`/v1/wallet/${id}/transfer`, secretKey, { dest_wallet_id: destination, num_satoshis: 1 }, more);
  });
}

function receiptOf({ source, destination, amountMsat }: WalletTransfer): Receipt {
  const hash = new Uint8Array();
  const balance = { balanceMsat: msat(5000), heldMsat: msat(0), spendableMsat: msat(5000), entries: 1 };
  const from = { from: source.ledgerAccount, fromEntry: 1, fromBalanceMsat: msat(5000), fromHash: hash, fromType: 'ln_transfer_out' };
  const to = { to: destination.ledgerAccount, toEntry: 1, toBalanceMsat: msat(5000), toHash: hash, toType: 'ln_transfer_in' };
  return {
    transfers: [{ id: newId(), amountMsat, createdAtMs: Date.now(), ...from, ...to }],
    balances: new Map([
      [source.ledgerAccount, balance],
      [destination.ledgerAccount, balance],
    ]),
  };
}
