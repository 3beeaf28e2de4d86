import { type Static, Type } from 'typebox';
import type { AlertDetails } from '../../core/alerts/alert-details.ts';
import { type Alert, describeKind } from '../../core/alerts/alerts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { amount, time } from './operator-route.ts';

const text = (description: string) => nullable(Type.String({ description }));

const DetailsObject = namedObject('AlertDetails', {
  wallet_id: text('The wallet whose money it is'),
  wallet_label: text('Its label'),
  ln_node_id: text('The node, `lnd_…`'),
  node_alias: text('The name that the node last reported'),
  lntx_id: text('The payment or invoice, `lntx_…`'),
  account_id: text('The account that owns the wallet, or what failed'),
  amount_msat: nullable(amount('The money concerned')),
  charged_msat: nullable(amount('The part that the wallet paid')),
  in_flight_msat: nullable(amount('What may explain a difference because it is in flight')),
  count: nullable(Type.Integer({ description: 'The number of payments, webhooks or failures' })),
  since: time('When the cause began, if that was before the alert was raised'),
  name: text('A host, a background job, an event or a currency'),
  status: text('A state in the ledger, of an account, of a webhook, or the provider of a rate'),
  reason: text('A text of the node, the database or another service'),
});

export const AlertObject = namedObject('Alert', {
  id: Type.String({ description: 'The id of the alert' }),
  kind: Type.String({ description: 'The kind; docs/monitoring.md describes each' }),
  subject: Type.String({ description: 'What it is about: the id of a payment, an invoice or a node' }),
  status: oneOf(['open', 'resolved'], { description: '`resolved`: its cause is gone, or an operator closed it' }),
  message: Type.String({ description: 'What happened' }),
  details: DetailsObject,
  meaning: Type.String({ description: 'What alerts of this kind mean' }),
  remedy: Type.String({ description: 'What the operator should do' }),
  raised_at: Type.Integer({ description: 'Unix seconds' }),
  last_seen_at: Type.Integer({ description: 'When its cause was last found, in Unix seconds' }),
  resolved_at: nullable(Type.Integer({ description: 'Unix seconds; null while it is open' })),
  closed_by: nullable(Type.String({ description: 'The operator who closed it; null if it is open or its cause went away' })),
  close_reason: nullable(Type.String({ description: 'Why, as the operator stated it' })),
});

type AlertResponse = Static<typeof AlertObject>;

/** JSON has no undefined. */
type StoredDetails = { readonly [Name in keyof AlertDetails]?: Exclude<AlertDetails[Name], undefined> };

interface NameSources {
  readonly wallets: Wallets;
  readonly connections: NodeConnections;
}

/** Returns alerts as the API shows them, with the present names of their wallets and nodes. */
export async function renderAlerts({ wallets, connections }: NameSources, alerts: readonly Alert[]): Promise<AlertResponse[]> {
  const parsed = alerts.map((alert) => ({ ...alert, details: JSON.parse(alert.details) as StoredDetails }));
  const ids = new Set(parsed.flatMap(({ details }) => details.wallet_id ?? []));
  const owners = new Map((await wallets.findMany([...ids])).map((wallet) => [wallet.id, wallet]));
  const aliases = new Map(connections.all.map((one) => [one.nodeId, one.info()?.alias]));
  const ownerOf = ({ wallet_id: id }: StoredDetails) => (id === undefined ? undefined : owners.get(id));
  return parsed.map(({ cleared_at, details, ...alert }) => ({
    ...alert,
    ...describeKind(alert.kind),
    status: cleared_at === null ? 'open' : 'resolved',
    resolved_at: cleared_at,
    details: {
      ...NOTHING,
      ...details,
      account_id: details.account_id ?? ownerOf(details)?.accountId ?? null,
      wallet_label: ownerOf(details)?.userLabel || null,
      node_alias: (details.ln_node_id !== undefined && aliases.get(details.ln_node_id)) || null,
    },
  }));
}

const NOTHING = {
  wallet_id: null,
  ln_node_id: null,
  lntx_id: null,
  account_id: null,
  amount_msat: null,
  charged_msat: null,
  in_flight_msat: null,
  count: null,
  since: null,
  name: null,
  status: null,
  reason: null,
};
