import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Dialect } from '../../src/core/db/database.ts';
import { onFakeNode } from '../support/app.ts';

/** Background jobs run other statements. Keys and wallets are cached, so whether they are read is a matter of time. */
const COUNTED: Readonly<Record<Dialect, RegExp>> = {
  sqlite: /^(payment_|invoice_(?!list_expired)|ledger_|access_key_(?!find)|wallet_(?!find))/,
  // Payments read balances as they lock them. The jobs that a payment wakes read them without a lock.
  postgres: /^(payment_|invoice_(?!list_expired)|ledger_(?!read_accounts)|access_key_(?!find)|wallet_(?!find))/,
};

const READ = 'payment_find_payable';
const GUARDS = ['wallet_may_send', 'wallet_may_receive', 'access_key_valid'];
const ROWS = ['payment_insert_paid', 'invoice_settle_at_once'];

const EXPECTED: Readonly<Record<Dialect, readonly string[]>> = {
  // The payer’s account is known because it was written last.
  sqlite: [READ, 'ledger_read_last_batch', ...GUARDS, ...ROWS, 'ledger_insert_transfer', 'ledger_write_checkpoint'],
  postgres: [READ, ...GUARDS, 'ledger_lock_accounts', ...ROWS.map((name) => `${name}_many`), 'ledger_write_batch'],
};

onFakeNode(
  'the statements of an invoice payment',
  (service, dialect) => {
    it('use one read and one transaction when a wallet pays the invoice of another wallet of the service', async () => {
      const { client } = service;
      const [payer, payee] = [await client.wallet(1000), await client.wallet()];
      const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 1 });
      const noted: string[] = [];
      service.statements = noted;
      await untilQuiet(noted);
      await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request });
      service.statements = undefined;
      expect(noted.filter((name) => COUNTED[dialect].test(name))).toEqual(EXPECTED[dialect]);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  { pollMs: 3_600_000 },
);

/** The jobs read balances when they start. They do not poll in this test. */
async function untilQuiet(noted: string[]): Promise<void> {
  do {
    noted.length = 0;
    await delay(300);
  } while (noted.length > 0);
}
