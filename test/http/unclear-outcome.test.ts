import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Idempotency } from '../../src/core/idempotency/idempotency.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import { paymentRoutes } from '../../src/features/payments/routes.ts';
import { transferRoutes } from '../../src/features/payments/transfer-routes.ts';
import { createObjects } from '../../src/features/transactions/objects.ts';
import { createIdempotentHandler } from '../../src/http/idempotent.ts';
import { createServer } from '../../src/http/server.ts';

/** A server on which a payment holds money, and then every read fails. */
function brokenAfterHold(payment: Payment) {
  const wallet = {
    id: 'wal_1',
    accountId: 'acc_1',
    ledgerAccount: 5,
    nodeId: 'lnd_1',
    userLabel: '',
    status: 'active',
    createdAt: 1,
    updatedAt: 1,
  };
  const balance = { balanceMsat: msat(1_000_000), heldMsat: msat(110_000), spendableMsat: msat(890_000), entries: 1 };
  const gone = async () => {
    throw new Error('the database is gone');
  };
  const deps = {
    runIdempotent: createIdempotentHandler({ idempotency: {} as Idempotency }),
    access: { authorizeWallet: async () => ({ wallet, guards: [], credential: { text: 'sak_1', key: { id: 'key_1' } } }) },
    objects: createObjects({ clock: systemClock }),
    payments: { readInvoice: () => ({}), payInvoice: async () => ({ payment, isReplay: false, balance }), wait: gone },
    history: { ofPayment: gone },
    paymentWaitSeconds: 1,
  };
  return createServer(pino({ level: 'silent' }), (app) => paymentRoutes(app, deps as unknown as Parameters<typeof paymentRoutes>[1]));
}

it('S12: returns 202 for internal errors once money is held, never an error that claims nothing was paid', async () => {
  const texts = { nodeId: 'lnd_1', paymentHash: '00', paymentRequest: 'lnbcrt1', destPubkey: '02', userLabel: '', memo: '' };
  const payment = { ...texts, id: 'lntx_1', walletId: 'wal_1', transferId: '0'.repeat(22), state: 'pending', wtxType: 'ln_withdrawal' };
  const app = brokenAfterHold({
    ...payment,
    amountMsat: msat(100_000),
    createdAt: 1,
    expirySeconds: 1,
    isKeysend: false,
  } as unknown as Payment);
  const response = await app.inject({ method: 'POST', url: '/v1/wallet/wal_1/withdraw', payload: { payment_request: 'lnbcrt1' } });
  expect(response.statusCode).toBe(202);
  expect(response.json()).toMatchObject({
    status: 'pending',
    num_satoshis: -100,
    wal: { balance: 890, pending_msat: 110_000 },
    lnTx: { settled: 0 },
  });
  await app.close();
});

it('returns 503 with Retry-After when the ledger is busy, and does nothing', async () => {
  const busy = async () => {
    throw new Refusal('ledger_busy');
  };
  const deps = {
    runIdempotent: createIdempotentHandler({ idempotency: {} as Idempotency }),
    access: {
      authorizeWallet: async () => ({
        wallet: { id: 'wal_1', accountId: 'acc_1' },
        guards: [],
        credential: { text: 'sak_1', key: { id: 'key_1' } },
      }),
    },
    wallets: { resolve: async () => ({ wallet: { id: 'wal_2', accountId: 'acc_1' } }) },
    payments: { transfer: busy },
  };
  const app = createServer(pino({ level: 'silent' }), (server) =>
    transferRoutes(server, deps as unknown as Parameters<typeof transferRoutes>[1]),
  );
  const response = await app.inject({
    method: 'POST',
    url: '/v1/wallet/x/transfer',
    payload: { dest_wallet_id: 'wal_2', num_satoshis: 1 },
  });
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBe('1');
  expect(response.json()).toMatchObject({ name: 'Service Unavailable', type: 'ledger_busy' });
  await app.close();
});
