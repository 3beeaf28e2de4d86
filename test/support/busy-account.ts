import type { World } from '../openapi/conformance/world.ts';
import type { FakeNodeApp } from './app.ts';
import { multiplyRow } from './many-rows.ts';

/** The rows of the longest lists: transactions and events. */
export const MANY = 100_000;
/** The rows of each other list: more than one stretch may read. */
export const SOME = 3_500;
/** The lines of a list in a request. */
export const LINES = 1000;
const APPS = 100;

/** Tables with lists of the API, and the rows to copy: of the account, of one wallet, or of a wallet that has no other use. */
const TABLES: Readonly<Record<string, 'account' | 'wallet' | 'spare' | 'finished' | 'settled' | 'child' | 'any'>> = {
  access_key: 'spare',
  account: 'child',
  account_note: 'account',
  alert: 'any',
  contact: 'account',
  fee_schedule: 'any',
  invoice: 'settled',
  operator_action: 'any',
  operator_record: 'any',
  pay_link: 'wallet',
  payment: 'wallet',
  payout: 'finished',
  reconciliation: 'any',
  search_word: 'account',
  session: 'account',
  unmatched_settlement: 'any',
  webhook_delivery: 'any',
  withdraw_link: 'wallet',
};

/** Rows of tables that can have fewer: contacts have a limit, and no caller chooses how many alerts are open. */
const LIMITED: Readonly<Record<string, number>> = { contact: 900, alert: 400 };

/** Fills the first account of a service on SQLite. @returns the ids of further wallets */
export async function fillAccount(service: FakeNodeApp, { client, wallet }: World): Promise<readonly string[]> {
  const wallets: string[] = [];
  for (let i = 0; i < LINES; i += 50)
    wallets.push(...(await Promise.all(Array.from({ length: 50 }, () => client.wallet()))).map(({ id }) => id));
  const [spare = '', second = ''] = wallets;
  for (let i = 0; i < APPS; i += 1) await client.post(`/v1/wallet/${i % 2 === 0 ? wallet.id : second}/connections`, { user_label: 'app' });
  const { id: accountId } = await client.get('/v1/account');
  const conditions = {
    account: `account_id = '${accountId}'`,
    wallet: `wallet_id = '${wallet.id}'`,
    spare: `wallet_id = '${spare}'`,
    finished: `wallet_id = '${wallet.id}' AND finished_at IS NOT NULL`,
    settled: `account_id = '${accountId}' AND state = 'settled'`,
    child: "role <> 'operator'",
    any: 'true',
  };
  await multiplyRow(service, 'wallet_transaction', MANY, `${conditions.wallet} AND status = 'settled' AND lntx IS NOT NULL`);
  await multiplyRow(service, 'event', MANY, `${conditions.wallet} AND type = 'wallet_receive'`);
  for (const [table, whose] of Object.entries(TABLES)) await multiplyRow(service, table, LIMITED[table] ?? SOME, conditions[whose]);
  await multiplyRow(service, 'payout_line', LINES - 1, `payout_id = (SELECT max(payout_id) FROM payout_line)`);
  return wallets;
}
