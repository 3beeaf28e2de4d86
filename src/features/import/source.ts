/** The programs whose databases are imported. */
export const SOURCE_NAMES = ['lnbits', 'lndhub', 'lnpay', 'albyhub'] as const;

export type SourceName = (typeof SOURCE_NAMES)[number];

/**
 * One consistent state of another program's database, which was opened read-only. All amounts are msat, all times Unix seconds, all hashes hex in
 * lower case. An implementation converts its rows and checks their form; it neither sums nor decides. It reads in pages, so that its memory does not
 * depend on the number of rows.
 */
export interface ImportSource {
  readonly name: SourceName;
  /** The version of the program or of its schema, for the report. */
  readonly version: string;
  /** The wallets in ascending order of their ids (by UTF-16 code units, as JavaScript compares texts). */
  wallets(): AsyncIterable<SourceWallet>;
  /** The history of all wallets: in the order of {@link SourceHistoryRow.walletId}, that of `wallets`, then from old to new. */
  history(): AsyncIterable<SourceHistoryRow>;
  /** Contradictions that a query of the source finds, such as two invoices with one hash. */
  problems(): AsyncIterable<SourceProblem>;
  /** What the import leaves out whatever the options are, such as other tables. */
  notImported(): Promise<readonly NotImported[]>;
  close(): Promise<void>;
}

export interface SourceProblem {
  /** The wallet that cannot be imported because of it. */
  readonly walletId: string;
  readonly text: string;
}

export interface NotImported {
  /** What it is: `table withdraw_link`, `pay link abc`. */
  readonly what: string;
  readonly count: number;
  readonly reason: string;
}

/** The owner of wallets in the source. */
export interface SourceAccount {
  readonly id: string;
  /** A login name, for the label of the report. */
  readonly name?: string | undefined;
  /** In lower case. */
  readonly email?: string | undefined;
  /** A hash of bcrypt, with which the owner logs in by e-mail. */
  readonly passwordHash?: string | undefined;
  /** API keys of the account. */
  readonly keys?: readonly SourceKey[] | undefined;
  /** Endpoints that get the events of the wallets of the account. */
  readonly webhooks?: readonly SourceWebhook[] | undefined;
}

export interface SourceWebhook {
  readonly id: string;
  readonly url: string;
  /** Names of events of this service. */
  readonly eventTypes: readonly string[];
  /** The secret with which requests are signed; undefined: they were not. */
  readonly secret: string | undefined;
}

export interface SourceWallet {
  /** The id in the source. It is stored in `import_item`, so that an import can be repeated. */
  readonly id: string;
  readonly account: SourceAccount;
  readonly label: string;
  /** The balance by the source's own figure, without what pending payments have taken; undefined if it has no such figure. */
  readonly balanceMsat: number | undefined;
  readonly keys: readonly SourceKey[];
  readonly links: readonly SourceLink[];
  /** The id that the wallet keeps. Undefined: it gets a new one. */
  readonly ownId?: string | undefined;
  /** The name and the hash of bcrypt with which wallet apps log in to the LNDhub API. */
  readonly appLogin?: { readonly login: string; readonly passwordHash: string } | undefined;
  /** It receives, but sends no money. */
  readonly isInactive?: boolean | undefined;
  /** Why the wallet is not imported by default, such as that it was deleted. Undefined: it is. */
  readonly leftOut?: string | undefined;
  /** It is left out whatever the options are. */
  readonly isNeverImported?: boolean | undefined;
  /** Further remarks for the report. */
  readonly remarks?: readonly string[] | undefined;
}

/** A secret of the source. Only its hash is stored. */
export interface SourceKey {
  /** The text as this service accepts it, with its prefix, such as `waka_…`. */
  readonly text: string;
  readonly label: string;
  /** It has less than 128 random bits. It expires 90 days after the import. */
  readonly isWeak?: boolean | undefined;
}

/** A pay link (LUD-06). */
export interface SourceLink {
  readonly id: string;
  readonly shortDesc: string;
  readonly minMsat: number;
  readonly maxMsat: number;
  readonly commentLength: number;
  /** The local part of its Lightning address. */
  readonly name?: string | undefined;
  /** The domain that the source used; the import may be told another one. */
  readonly domain?: string | undefined;
  readonly successText?: string | undefined;
  readonly successUrl?: string | undefined;
  /** The paths under which LNURLs of the link were published. They begin with `/`. */
  readonly paths: readonly string[];
  /** Whether the link keeps its id. */
  readonly keepsId?: boolean | undefined;
  /** Its metadata (LUD-06), if invoices or other programs refer to the exact text. Undefined: it is made from `shortDesc` and the address. */
  readonly metadata?: string | undefined;
  /** Whether it accepts payments. Undefined: it does. */
  readonly isInactive?: boolean | undefined;
  /** Why it is not imported; undefined: it is. */
  readonly leftOut?: string | undefined;
}

/**
 * `settled`: the money has moved. `pending`: an outgoing payment that has taken the money and may still succeed or fail. `open`: an incoming
 * invoice that may still be paid. `failed`: it never moved money, and it will not.
 */
export type SourceRowState = 'settled' | 'pending' | 'open' | 'failed';

/** One row of the history of a wallet: an invoice, a payment, or another booking of the source. */
export interface SourceHistoryRow {
  /** Unique in the source. Two rows of an internal payment have two ids. */
  readonly id: string;
  readonly walletId: string;
  readonly state: SourceRowState;
  /** `lightning`: over the network. `internal`: between wallets of the source. `other`: a booking of another kind, such as fees. */
  readonly kind: 'lightning' | 'internal' | 'other';
  /** Signed: negative for money that leaves the wallet. */
  readonly amountMsat: number;
  /** What the wallet pays on top, 0 or more. For a pending payment the reserve that the source has taken. */
  readonly feeMsat: number;
  readonly memo: string;
  readonly createdAt: number;
  readonly settledAt?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly paymentHash?: string | undefined;
  readonly preimage?: string | undefined;
  readonly paymentRequest?: string | undefined;
  /** Further fields of the source, as JSON. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** The source cannot be read as it is. The message names the table or column and the remedy. Nothing has been written. */
export class UnusableSource extends Error {
  override readonly name = 'UnusableSource';
}

/** The longest label of a wallet. */
const MAX_LABEL = 100;

/** Returns the label of a wallet from a name in the source. */
export function walletLabel(name = ''): string {
  return name.replace(/\p{Cc}/gu, ' ').slice(0, MAX_LABEL);
}

/** Why a wallet without money and recent transactions is left out. */
export const IDLE = 'it is empty, and was not used for a year';

/** Returns the problem of two invoices with one payment hash that both can be paid. */
export function duplicateHash(walletId = '', hash = ''): SourceProblem {
  return { walletId, text: `another invoice has the payment hash ${hash} too: one payment would be credited twice` };
}
