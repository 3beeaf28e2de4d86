import type { Operation } from '../../src/http/openapi/document.ts';

/** The name of an operation in the client: `satchel.<group>.<name>(…)`. */
export interface MethodName {
  readonly group: string;
  readonly name: string;
}

/** The first group whose pattern matches the path or the id of an operation has it. Its noun is left out of the names of its methods. */
const GROUPS: readonly { readonly group: string; readonly path?: RegExp; readonly id?: RegExp; readonly noun?: RegExp }[] = [
  { group: 'operator', path: /^\/v1\/operator\//, noun: /Operator/ },
  { group: 'playground', path: /^\/playground/, noun: /Playground|^playground/ },
  { group: 'session', path: /^\/v1\/sessions?\b/, noun: /Sessions?$/ },
  { group: 'proofs', path: /^\/v1\/proofs?\b/ },
  { group: 'nodes', path: /^\/v1\/nodes?\b/, noun: /Nodes?$/ },
  { group: 'invoices', id: /Invoice/, noun: /Invoice/ },
  { group: 'withdrawLinks', id: /WithdrawLink/, noun: /WithdrawLinks?/ },
  { group: 'payLinks', id: /[pP]ayLink/, noun: /PayLinks?/ },
  { group: 'authChallenges', id: /AuthChallenge/, noun: /AuthChallenge/ },
  { group: 'payouts', id: /Payout/, noun: /Payouts?/ },
  { group: 'connections', id: /Connection/, noun: /Connections?/ },
  { group: 'wallets', path: /^\/v1\/wallets?(\/|$)/, noun: /Wallets?/ },
  { group: 'lightningTransactions', path: /^\/v1\/lntx\// },
  { group: 'transactions', path: /^\/v1\/wallet-transactions/, noun: /Transactions?$/ },
  { group: 'accounts', path: /^\/v1\/accounts/, noun: /Accounts?/ },
  { group: 'account', path: /^\/v1\/account/, noun: /Account/ },
  { group: 'keys', path: /^\/v1\/keys/, noun: /Keys?$/ },
  { group: 'events', path: /^\/v1\/events/, noun: /Events$/ },
  { group: 'webhooks', path: /^\/v1\/webhooks/, noun: /Webhooks?/ },
  { group: 'push', path: /^\/v1\/push/, noun: /Push(?:Subscription)?/ },
  { group: 'contacts', path: /^\/v1\/contacts/, noun: /Contacts?$/ },
  { group: 'service', path: /^\// },
];

/** The names that the groups do not give, or give badly. `null`: the client has another method that does the same. */
const NAMES: Readonly<Record<string, string | null>> = {
  getLightningTransaction: 'lightningTransactions.get',
  listDeliveriesOfAccount: 'webhooks.listAllDeliveries',
  listWithdrawLinksOfAccount: 'withdrawLinks.listAll',
  listConnectionsOfAccount: 'connections.listAll',
  getConnectionOfAccount: 'connections.find',
  listDeliveriesOfLightningTransaction: 'lightningTransactions.listDeliveries',
  getAccountById: 'accounts.get',
  getSummaryOfAccount: 'accounts.getSummary',
  changeOwnAccount: 'account.change',
  search: 'account.search',
  decodeInvoice: 'nodes.decodeInvoice',
  listWalletPayLinks: 'wallets.listPayLinks',
  listImportedTransactions: 'wallets.listImportedTransactions',
  payLink: 'payLinks.request',
  payAddress: 'payLinks.requestByAddress',
  verifyPayment: 'payLinks.verifyPayment',
  getNostrIdentifier: 'payLinks.getNostrIdentifier',
  playgroundInvoice: 'playground.createInvoice',
  playgroundHold: 'playground.resolveHold',
  updatePayLink: null,
  makeWithdrawLink: null,
  makePermanentWithdrawLink: null,
  getDocs: null,
};

/** Returns the name of an operation; undefined if the client does not have it. */
export function methodName({ operationId }: Operation, path: string): MethodName | undefined {
  const given = NAMES[operationId];
  if (given === null) return undefined;
  if (given !== undefined) {
    const [group = '', name = ''] = given.split('.');
    return { group, name };
  }
  const found = GROUPS.find((one) => one.path?.test(path) || one.id?.test(operationId));
  if (!found) throw new Error(`No group of scripts/openapi/method-names.ts has ${operationId}.`);
  const short = found.noun ? operationId.replace(found.noun, '') : operationId;
  const name = short.replace(/^change(?=[A-Z]|$)/, found.group === 'session' ? 'change' : 'update');
  return { group: found.group, name: name.slice(0, 1).toLowerCase() + name.slice(1) };
}
