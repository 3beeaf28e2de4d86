import type { Permission } from '../../accounts/keys.ts';
import { KEY_OPERATIONS } from './operations/keys.ts';
import { LNURL_OPERATIONS } from './operations/lnurl.ts';
import { MONEY_OPERATIONS } from './operations/money.ts';
import { NODE_OPERATIONS } from './operations/node.ts';
import { PLAYGROUND_OPERATIONS } from './operations/playground.ts';
import { PROOF_OPERATIONS } from './operations/proofs.ts';
import { SERVICE_OPERATIONS } from './operations/service.ts';
import { WALLET_OPERATIONS } from './operations/wallets.ts';

export const TAGS = {
  Wallets: 'Wallets and their access keys.',
  Money: 'Invoices, payments, transfers.',
  History: 'What has happened, as lists, single objects and CSV.',
  LNURL: 'Withdraw links, and the public addresses that other wallets call.',
  Keys: 'API keys and wallet access keys.',
  Proof: 'Proof of liabilities: what the service owes, published, and checkable by everybody it is owed to.',
  Node: 'The Lightning node of this service.',
  Playground: 'The outside of the test network. Only there when LIGHTNING_URL is a playground or a fake node.',
  Service: 'The service itself.',
} as const;

/** What the credential of a request must be: a permission in the wallet that the path names, or one of the other rules. */
export type Need = Permission | 'account' | 'secret_key' | 'any_key' | 'nothing';

/** What schemas cannot say of an operation: its name, its words, who may ask. The rest comes from the route. */
export interface OperationNotes {
  /** The operationId, which is also the name in generated clients. */
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  readonly needs: Need;
  /** The name of the schema of the answer, or of its items where it is a list. */
  readonly answer?: string;
  /** A request body that works. */
  readonly body?: object;
  /** Parameters of the path that work, where the usual examples do not. */
  readonly path?: object;
  /** What the examples of its answers say otherwise than their fields usually do, by status; all of it where there is `schema`. */
  readonly says?: Readonly<Record<number, object>>;
  /** Query parameters that work, for the example. */
  readonly query?: object;
  /** Whether it pays over Lightning: 201, or 202 while the outcome is open, and `Prefer: respond-async`. */
  readonly pays?: boolean;
  /** Where the answer is not JSON: its media type. */
  readonly media?: string;
  /** A more exact schema of the answer than the one that the route serializes with. */
  readonly schema?: object;
  /** Statuses of refusals beside those that its form, its key and its path suggest. */
  readonly refusals?: readonly number[];
  /** Headers of the good answer beside those of every answer: names in headers.ts. */
  readonly headers?: readonly string[];
}

/** By method and route. A route without notes is described all the same, but a test asks for them. */
export const OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  ...WALLET_OPERATIONS,
  ...MONEY_OPERATIONS,
  ...LNURL_OPERATIONS,
  ...KEY_OPERATIONS,
  ...PROOF_OPERATIONS,
  ...NODE_OPERATIONS,
  ...PLAYGROUND_OPERATIONS,
  ...SERVICE_OPERATIONS,
};

export function notesOf(method: string, url: string): OperationNotes | undefined {
  return OPERATIONS[`${method.toUpperCase()} ${url}`];
}
