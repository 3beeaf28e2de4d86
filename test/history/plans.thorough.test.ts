import { expect, it } from 'vitest';
import * as keys from '../../src/core/accounts/keys.sql.ts';
import { listSessions } from '../../src/core/accounts/sessions.sql.ts';
import { listOfState } from '../../src/core/alerts/alerts.sql.ts';
import type { Statement } from '../../src/core/db/statement.ts';
import { statement } from '../../src/core/db/statement.ts';
import * as invoices from '../../src/core/invoices/invoices.sql.ts';
import * as events from '../../src/core/journal/event-log.sql.ts';
import * as words from '../../src/core/journal/search-words.sql.ts';
import * as sums from '../../src/core/journal/sums.sql.ts';
import * as transactions from '../../src/core/journal/wallet-transactions.sql.ts';
import * as ledger from '../../src/core/ledger/ledger.sql.ts';
import * as payments from '../../src/core/payments/payments.sql.ts';
import * as wallets from '../../src/core/wallets/wallets.sql.ts';
import * as links from '../../src/features/lnurl/withdraw/withdraw-links.sql.ts';
import * as connections from '../../src/features/nwc/connections.sql.ts';
import * as operator from '../../src/features/operator/operator.sql.ts';
import * as records from '../../src/features/operator/records.sql.ts';
import { listEpochs } from '../../src/features/proof/proof.sql.ts';
import { listRequests } from '../../src/features/reconcile/requests.sql.ts';
import * as search from '../../src/features/search/search.sql.ts';
import { storedTexts } from '../../src/features/transactions/transactions.sql.ts';
import * as deliveries from '../../src/features/webhooks/deliveries.sql.ts';
import * as deliveryLists from '../../src/features/webhooks/delivery-lists.sql.ts';
import * as upkeep from '../../src/features/webhooks/upkeep.sql.ts';
import * as webhooks from '../../src/features/webhooks/webhooks.sql.ts';
import { onBothDatabases } from '../support/ledger.ts';

/** The reads of a summary, of a wallet or an account. */
const READS_OF_SUMS = (['wallet', 'account'] as const).flatMap((owner): [Statement, unknown[]][] => {
  const id = owner === 'wallet' ? 5 : 'x';
  return [
    [sums.sums[owner].sums, [id, 7, 8, 24]],
    [sums.sums[owner].failures, [id, 7, 8, 3_600_000]],
    [sums.sums[owner].netSince, [id, 7]],
    [sums.sums[owner].held, [id]],
  ];
});

/** The reads of what a key has made. */
const READS_OF_KEYS = (['asc', 'desc'] as const).flatMap((order): [Statement, unknown[]][] => [
  ...(['settled', 'pending', 'failed', 'all'] as const).flatMap((status): [Statement, unknown[]][] => [
    [transactions.pages.key[order][status], ['x', 7, 50]],
    [transactions.pages.key[order].skip[status], ['x', 7, 50, 49]],
  ]),
  ...(['settled', 'pending', 'failed'] as const).map((status): [Statement, unknown[]] => [transactions.counts.key[status], ['x', 50]]),
  [transactions.sumOfKey, ['x', 50]],
]);

/** The pages of the lists of operators, sessions and proofs, and what is counted of them. */
const READS_OF_OPERATORS = (['asc', 'desc'] as const).flatMap((order): [Statement, unknown[]][] => [
  ...Object.values(listOfState).map((list): [Statement, unknown[]] => [list[order], ['x', 50, 0]]),
  [listRequests[order], ['x', 50, 0]],
  ...[...records.LISTS].map(([names, list]): [Statement, unknown[]] => {
    const filters = names === '' ? [] : names.split(',');
    return [list[order], [...filters.map(() => 'x'), '', 'y', 'x', 50, 0]];
  }),
  [operator.listPendingUntil[order], [7, 'x', 'y', 50, 0]],
  [operator.listUnmatched.open[order], [7, 'x', 50]],
  [operator.listUnmatched.all[order], [7, 'x', 50]],
  [listSessions[order], ['x', 'y', 50, 0]],
  [listEpochs[order], [7, 50]],
]);

/** All reads of requests, with parameters of the right types. */
const READS: [Statement, unknown[]][] = [
  ...(['wallet', 'account'] as const).flatMap((owner) =>
    (['asc', 'desc'] as const).flatMap((order) => [
      ...(['settled', 'pending', 'failed', 'all'] as const).map((status): [Statement, unknown[]] => [
        transactions.pages[owner][order][status],
        [owner === 'wallet' ? 5 : 'x', 7, 50],
      ]),
      ...Object.values(transactions.pages[owner][order].skip).map((skip): [Statement, unknown[]] => [
        skip,
        [owner === 'wallet' ? 5 : 'x', 7, 50, 49],
      ]),
      [invoices.listOpen[owner][order], [owner === 'wallet' ? 5 : 'x', 1, 'y', 50]] as [Statement, unknown[]],
      [events.pages[owner][order], [7, 50, 'x']] as [Statement, unknown[]],
    ]),
  ),
  ...READS_OF_KEYS,
  ...READS_OF_SUMS,
  ...READS_OF_OPERATORS,
  [operator.listPendingUntil.count, [7, 'x', 50]],
  [records.listOfSubject, ['x']],
  [sums.balanceOfWallet, [5]],
  [sums.balanceOfAccount, ['x']],
  [sums.countWallets, ['x']],
  [operator.newestOfNode, [1]],
  [operator.countFailedDeliveries, [7, 50]],
  [events.pages.all.asc, [7, 50]],
  [events.findMany, [[7]]],
  [events.newestUpTo, [7]],
  [events.newestOfWallet, ['x']],
  [transactions.listsOfAmount.account, ['x', 7, 8, -8, -7, 50]],
  [transactions.listsOfAmount.wallet, [5, 7, 8, -8, -7, 50]],
  [transactions.findPositions, [[7]]],
  [transactions.findById, ['x']],
  [transactions.findMany, [['x']]],
  [transactions.findCredit, ['x']],
  [transactions.listCredited, [5, 50, 7]],
  [transactions.newestUpTo, [7]],
  [transactions.countOfAccount, ['x']],
  [transactions.counts.wallet.pending, [5, 50]],
  [transactions.counts.wallet.failed, [5, 50]],
  [transactions.counts.account.pending, ['x', 50]],
  [transactions.counts.account.failed, ['x', 50]],
  [storedTexts, [['x'], ['y']]],
  [ledger.readAccount, [5]],
  [ledger.readAccounts, [[5]]],
  [ledger.readHolds, [['x']]],
  [ledger.readHold, ['x']],
  [keys.findKey, ['secret_api', new Uint8Array(32)]],
  [keys.findValidKeyById, ['x']],
  ...Object.values(keys.lists.wallets).flatMap(({ desc, count }): [Statement, unknown[]][] => [
    [desc, ['x', null, '~', 50, 0, 1, 2, 3]],
    [count, ['x', null, 50]],
  ]),
  ...Object.values(connections.listOfAccountBy).flatMap(({ desc, count }): [Statement, unknown[]][] => [
    [desc, ['x', null, '~', 50, 0]],
    [count, ['x', null, 50]],
  ]),
  [wallets.findWallet, ['x']],
  [wallets.ownersOfLedgerAccounts, [[5]]],
  [wallets.listWallets.asc, ['x', 'y', 50, 0]],
  [wallets.listWallets.desc, ['x', 'y', 50, 0]],
  [invoices.findById, ['x']],
  [invoices.findByHash, ['x']],
  [invoices.findMany, [['x']]],
  [invoices.listNewest, [5, 50]],
  [payments.listNewest, ['x', 50]],
  [payments.listByHash, ['x', 'y', 50]],
  [payments.findById, ['x']],
  [payments.findByHash, ['x', 'y']],
  [payments.findLive, ['x']],
  [payments.findPayable, ['x', 'wal_x', 0]],
  [payments.findMany, [['x']]],
  [payments.listPending, ['', 100]],
  [payments.findClaim, ['x', 'y', 'z']],
  [links.findByK1, [0, new Uint8Array(32)]],
  [links.findById, [0, 'x']],
  [links.findOfWallet, ['x', 'x', 0]],
  [links.listOfWallet.desc, ['x', '~', 50, 0, 0]],
  ...Object.values(links.listOfAccountBy).flatMap(({ desc, count }): [Statement, unknown[]][] => [
    [desc, ['x', null, '~', 50, 0, 0]],
    [count, ['x', null, 50]],
  ]),
  [links.readOveruse, ['x']],
  [webhooks.listOfAccount.desc, ['x', '~', 50, 0]],
  [webhooks.findWebhook, ['x', 'y']],
  ...Object.values(deliveryLists.listOfWebhook).flatMap(({ asc, desc, count }): [Statement, unknown[]][] => [
    [asc, ['x', 7, 50, 0]],
    [desc, ['x', 7, 50, 0]],
    [count, ['x', 50]],
  ]),
  [deliveryLists.listOfLightning.desc, ['x', 'y', 7, 50, 0]],
  [deliveryLists.findDelivery, [7, 7]],
  [deliveryLists.countWaiting, ['x', 50]],
  [deliveries.webhooksWithQueued, ['x']],
  [deliveries.webhooksWithDue, ['x', 7, 8]],
  [deliveries.findDue, ['x', 7, 8, 50, ['y']]],
  [deliveries.findQueued, ['x', 50]],
  [deliveries.findClaimed, ['x']],
  [upkeep.findClaimers, []],
  [upkeep.endOfPart, ['x', 7, 8]],
  [words.ofAccount.exact, ['x', 'wal', 'y', 50]],
  [words.ofAccount.longer, ['x', 'wal', 'y', 'z', 50]],
  [words.ofService.exact, ['wal', 'y', 50]],
  [words.ofService.longer, ['wal', 'y', 'z', 50]],
  [search.findByHash, ['x', 'y', 50]],
  [search.findByHash, [null, 'y', 50]],
  [search.findByEmail, ['x', 'y', 50]],
  [search.findByAddress, ['x', 'y']],
  ...Object.values(search.readObjects).map((read): [Statement, unknown[]] => [read, ['x', ['y']]]),
  ...Object.values(search.readObjects).map((read): [Statement, unknown[]] => [read, [null, ['y']]]),
  ...Object.values(search.idsInRange).map((read): [Statement, unknown[]] => [read, ['wal_x', 'wal_x~', 20]]),
];

onBothDatabases('W6: reads of constant cost', (open, dialect) => {
  it.each(READS.map(([read, parameters]) => [read.name, read, parameters] as const))(
    '%s finds its rows through an index',
    async (_name, read, parameters) => {
      const database = await open();
      const text = dialect === 'sqlite' ? `EXPLAIN QUERY PLAN ${read.sqlite}` : `EXPLAIN ${read.postgres}`;
      const explain = statement(`explain_${read.name}`, text);
      const rows = await database.all(explain, ...(parameters as []));
      const plan = rows.map((row) => Object.values(row).join(' ')).join('\n');
      // SQLite's word for reading a whole table is SCAN. List parameters and subqueries are exceptions.
      const whole =
        dialect === 'sqlite'
          ? /SCAN (?!json_each|CONSTANT|always|entries|start|walk|part|listed|\w+_rows|of_all|\(subquery)/
          : /Seq Scan on (?!entries)/;
      expect(plan).not.toMatch(whole);
    },
  );
});
