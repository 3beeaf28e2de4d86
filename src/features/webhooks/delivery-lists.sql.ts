import { type ListStatements, listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';
import { COLUMNS, type DeliveryRow } from './deliveries.sql.ts';

export const findDelivery = statement<DeliveryRow>(
  'webhook_delivery_find',
  `SELECT ${COLUMNS} FROM webhook_delivery WHERE position = $1 AND created_at_ms = $2`,
);

const WAITING = ['queued', 'held', 'claimed', 'retrying'];
const ENDED = ['delivered', 'dead', 'cancelled'];

const oneOf = (states: readonly string[]) => `state IN (${states.map((state) => `'${state}'`).join(', ')})`;

/** A list that merges the rows of some states, each of which the index has in order. */
function listOfStates(name: string, states: readonly string[], condition = 'TRUE'): ListStatements<DeliveryRow> {
  const page = (order: 'asc' | 'desc') => {
    const after = `position ${order === 'asc' ? '>' : '<'} $2 AND ${condition} ORDER BY position ${order} LIMIT $3`;
    const parts = states.map(
      (state) =>
        `SELECT * FROM (SELECT ${COLUMNS} FROM webhook_delivery WHERE state = '${state}' AND webhook_id = $1 AND ${after}) AS part`,
    );
    return statement<DeliveryRow>(
      `webhook_delivery_list_${name}_${order}`,
      `${parts.join(' UNION ALL ')} ORDER BY position ${order} LIMIT $3 OFFSET $4`,
    );
  };
  const all = `SELECT 1 FROM webhook_delivery WHERE ${oneOf(states)} AND webhook_id = $1 AND ${condition} LIMIT $2`;
  const count = statement<{ n: number }>(`webhook_delivery_count_${name}`, `SELECT count(*) AS n FROM (${all}) AS listed`);
  return { asc: page('asc'), desc: page('desc'), count };
}

/** Deliveries of a webhook: those of a state of the API, or all. */
export const listOfWebhook = {
  queued: listOfStates('queued', WAITING, 'attempts = 0'),
  retrying: listOfStates('retrying', WAITING, 'attempts > 0'),
  delivered: listOfStates('delivered', ['delivered']),
  dead: listOfStates('dead', ['dead']),
  cancelled: listOfStates('cancelled', ['cancelled']),
  all: listOfStates('all', [...WAITING, ...ENDED]),
};

/** Deliveries of the events of an invoice or a payment, to the webhooks of an account. */
export const listOfLightning = listStatements<DeliveryRow>('webhook_delivery_of_lightning', {
  select: `SELECT ${COLUMNS} FROM webhook_delivery`,
  table: 'webhook_delivery',
  where: `lntx = $1 AND webhook_id IN (SELECT webhook.id FROM webhook WHERE webhook.account_id = $2 AND webhook.status <> 'deleted')`,
  filters: 2,
  id: 'position',
});

/** The number of waiting deliveries of a webhook, at most `$2`. */
export const countWaiting = statement<{ n: number }>(
  'webhook_delivery_count_waiting',
  `SELECT count(*) AS n FROM (SELECT 1 FROM webhook_delivery WHERE ${oneOf(WAITING)} AND webhook_id = $1 LIMIT $2) AS listed`,
);

/** The number of waiting deliveries of all active webhooks, at most `$1`, and the oldest time of one. */
export const readWaiting = statement<{ n: number; oldest: number | null }>(
  'webhook_delivery_read_waiting',
  `SELECT (SELECT count(*) FROM (SELECT 1 FROM webhook w CROSS JOIN webhook_delivery d
       WHERE w.status = 'active' AND d.webhook_id = w.id AND d.${oneOf(WAITING)} LIMIT $1) AS listed) AS n,
     (SELECT min((SELECT d.created_at_ms FROM webhook_delivery d WHERE d.state = s.state AND d.webhook_id = w.id ORDER BY d.position LIMIT 1))
       FROM webhook w CROSS JOIN (SELECT 'queued' AS state UNION ALL SELECT 'held' UNION ALL SELECT 'claimed' UNION ALL SELECT 'retrying') AS s
       WHERE w.status = 'active') AS oldest`,
);
