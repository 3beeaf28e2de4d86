import { expect, it } from 'vitest';
import type { Dialect } from '../../src/db/database.ts';
import { onFakeService } from '../support/fake-service.ts';

/** What requests run; beside them run leases, the position of the node's events, the comparison with the node. */
const OF_REQUESTS = /^(BEGIN|payment_|invoice_|ledger_|tail_|access_key_|wallet_)/;

const GUARDED_ROWS = ['wallet_active', 'access_key_valid', 'ledger_lock_accounts', 'payment_insert', 'payment_require_within_limit'];
const CONCLUDED_ROWS = ['ledger_lock_accounts', 'ledger_read_holds', 'payment_succeed', 'invoice_settle_inside'];

const EXPECTED: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    'payment_find_payable',
    ...['BEGIN', 'tail_read_mark', ...GUARDED_ROWS, 'invoice_close', 'ledger_insert_hold', 'tail_save_account', 'tail_save'],
    ...['BEGIN', 'tail_read_mark', ...CONCLUDED_ROWS, 'tail_insert_transfer', 'ledger_close_hold', 'tail_save_account', 'tail_save'],
  ],
  postgres: [
    'payment_find_payable',
    ...['BEGIN', ...GUARDED_ROWS, 'invoice_close', 'ledger_write_batch'],
    ...['BEGIN', ...CONCLUDED_ROWS, 'ledger_write_batch'],
  ],
};

onFakeService('the statements of an invoice payment', (service, dialect) => {
  it('are one read and two transactions when a wallet pays the invoice of another wallet of the service', async () => {
    const { client } = service;
    const [payer, payee] = [await client.wallet(1000), await client.wallet()];
    const statementsOfPayment = async () => {
      const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 1 });
      const noted: string[] = [];
      service.statements = noted;
      await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request });
      service.statements = undefined;
      return noted.filter((name) => OF_REQUESTS.test(name));
    };
    // The first payment reads the key and the wallet, which stay in the cache for a second.
    await statementsOfPayment();
    expect(await statementsOfPayment()).toEqual(EXPECTED[dialect]);
    expect(await service.problems()).toEqual([]);
  });
});
