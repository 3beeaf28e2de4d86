import type { Permission } from '../../core/accounts/keys.ts';

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string;
    /** Topics: names in {@link TAGS}. */
    tags?: readonly string[];
    summary?: string;
    description?: string;
    /** The ways to send a key; empty for an operation that needs none. */
    security?: readonly Readonly<Record<string, readonly string[]>>[];
    /** The content types of the response; default: JSON. */
    produces?: readonly string[];
    /** See {@link requires}. */
    'x-permission'?: Need;
    /** See {@link MANAGES}. */
    'x-without-limits'?: boolean;
    /** Statuses of errors in addition to those that follow from the route's key, path and body. */
    errorStatuses?: readonly number[];
    /** Headers of a successful response in addition to those of every response: names in {@link HEADERS}. */
    responseHeaders?: readonly string[];
    /** Describes the stream that the route sends instead of JSON to clients that accept `text/event-stream`. */
    eventStream?: string;
    /** More exact schemas of responses, by status, for the document only; the serializer uses `response`. */
    documentedResponse?: Readonly<Record<number, object>>;
  }
}

interface Topic {
  readonly description: string;
  /** The document that has the topic; default: `api`. */
  readonly document?: 'api' | 'operator';
}

/** The topics of the API, in the order of the documents. */
export const TAGS = {
  Wallets: { description: 'Wallets and their balances.' },
  Money: { description: 'Invoices, payments, transfers.' },
  History: { description: 'Past and pending transactions, as lists, single objects and CSV.' },
  Events: {
    description:
      'What happened: payments, transfers, invoices, keys. Events are read in pages or as a stream, and kept for a limited time.',
  },
  Webhooks: {
    description: 'Endpoints of yours to which events are delivered. docs/webhooks.md describes deliveries and signatures.',
  },
  LNURL: { description: 'Pay links, Lightning addresses, withdraw links, and the public addresses that other wallets call.' },
  Accounts: { description: 'Your account; for the operator, all accounts.' },
  Keys: { description: 'API keys of the account and access keys of wallets.' },
  Apps: { description: 'Wallet apps that are connected over Nostr (Nostr Wallet Connect, NIP-47).' },
  Proof: { description: 'Proof of liabilities: a published commitment to what the service owes, which each wallet can check.' },
  Node: { description: 'The Lightning node of this service.' },
  Service: { description: 'The service itself.' },
  Operator: {
    document: 'operator',
    description: 'Figures of all nodes, money in suspense, pending payments, alerts. Only for operators.',
  },
  Sessions: { document: 'operator', description: 'Logins of people, for the pages of the dashboard; applications send a key.' },
  Playground: {
    document: 'operator',
    description: 'The other nodes of the test network. These routes exist only when LIGHTNING_URL is a playground or a fake node.',
  },
} as const satisfies Record<string, Topic>;

/** Returns the topics of a document. */
export function topicsOf(document: 'api' | 'operator'): string[] {
  const topics: [string, Topic][] = Object.entries(TAGS);
  return topics.filter(([, topic]) => (topic.document ?? 'api') === document).map(([name]) => name);
}

/** What the key of a request must be: a permission in the wallet that the path names, or one of the other rules. */
export type Need = Permission | 'account' | 'operator' | 'secret_key' | 'any_key';

export const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key (sak_, pak_) or a wallet access key (waka_, …).' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The key as a bearer token.' },
  basic: { type: 'http', scheme: 'basic', description: 'The key as the user name; the password is ignored.' },
  accessToken: {
    type: 'apiKey',
    in: 'query',
    name: 'access-token',
    description: 'The key in the address. Prefer a header: addresses are logged by proxies.',
  },
} as const;

/** The permission of an operation, and the ways to send a key. A role in `security` itself would be valid for OAuth only. */
export function requires(need: Need) {
  return { 'x-permission': need, security: Object.keys(SECURITY_SCHEMES).map((scheme) => ({ [scheme]: [] })) };
}

/**
 * For an operation that manages something: what one key did would outlast it, or affect others. It rejects keys with a budget or a cap, which
 * could otherwise undo what their owner has set up.
 */
export const MANAGES = { 'x-without-limits': true };

/** For an operation that needs no key. */
export const PUBLIC = { security: [] };
