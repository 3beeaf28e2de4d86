import { type Static, Type } from 'typebox';
import type { NodeConnection } from '../../core/connection/connection.ts';
import { unixSeconds, withTimeout } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { App } from '../../http/app-type.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import type { NodeChannels } from './channels-object.ts';
import { type NodeRate, readNodeRates } from './flows.ts';
import { amount, OPERATOR, type OperatorRouteModules, time } from './operator-route.ts';

const days = (amountField: string, rateField: string, what: string) =>
  nullable(
    Type.Integer({
      description:
        `The number of days until the liquidity for ${what} is used up at this rate: \`${amountField}\` ÷ \`${rateField}\`, rounded down. Payments in ` +
        'the other direction restore liquidity, but are not counted. Null if one of the values is unknown or the rate is 0',
    }),
  );

const RateFields = {
  received_day_msat: nullable(
    amount(
      'The average amount per day that wallets received over Lightning: the receipts of the last seven computed days, divided by 7. Null until ' +
        'seven days after the first booking',
    ),
  ),
  sent_day_msat: nullable(
    amount('The average amount per day that wallets sent over Lightning, computed in the same way, with routing fees'),
  ),
  receiving_days: days('receivable_msat', 'received_day_msat', 'receiving'),
  sending_days: days('spendable_msat', 'sent_day_msat', 'sending'),
};

const NodeLiquidity = namedObject('NodeLiquidity', {
  ln_node_id: Type.String({ description: 'The node, `lnd_…`' }),
  status: oneOf(['known', 'unavailable', 'not_permitted', 'unsupported'], {
    description:
      '`unavailable`: the node did not list its channels within two seconds; the amounts are those of `at`. The others are as in `NodeChannels`',
  }),
  status_reason: nullable(Type.String({ description: 'Why the channels are not known; null if they are, and for `unsupported`' })),
  at: time('When the node last listed its channels to this instance; null if it has not'),
  spendable_msat: nullable(amount('What its active channels together could send then; null if it is unknown')),
  receivable_msat: nullable(amount('What its active channels together could receive then; null if it is unknown')),
  ...RateFields,
});

const LiquidityObject = namedObject('Liquidity', {
  at: Type.Integer({ description: 'When the nodes were read, in Unix seconds' }),
  num_nodes: Type.Integer({ description: 'The number of nodes' }),
  num_counted: Type.Integer({ description: 'The number of nodes whose channels are `known`. The sums are of these' }),
  spendable_msat: nullable(amount('What the active channels of the counted nodes together can send; null if no node is counted')),
  receivable_msat: nullable(amount('What the active channels of the counted nodes together can receive; null if no node is counted')),
  ...RateFields,
  nodes: Type.Array(NodeLiquidity, { description: 'The nodes, in the order in which they were added' }),
});

const schema = {
  ...OPERATOR,
  operationId: 'getLiquidity',
  summary: 'Read what the nodes can send and receive, and how long it lasts',
  description:
    'Reads the channels of all nodes now. The rates are read from hourly sums, whatever the number of payments. A single payment ' +
    'may find a route only for a smaller amount.',
  response: { 200: LiquidityObject },
};

/** The amounts that the nodes can send and receive, for operators. */
export function liquidityRoutes(app: App, modules: OperatorRouteModules): void {
  app.get('/v1/operator/liquidity', { schema }, async (request) => {
    await modules.access.operator(request);
    return readLiquidity(modules);
  });
}

/** A node that does not answer must not delay the page. */
const ANSWER_MS = 2000;

type Channels = Pick<Static<typeof NodeLiquidity>, 'ln_node_id' | 'status' | 'status_reason' | 'at' | 'spendable_msat' | 'receivable_msat'>;
type LiquidityModules = Pick<OperatorRouteModules, 'operator' | 'connections' | 'database' | 'clock'>;

export async function readLiquidity(modules: LiquidityModules): Promise<Static<typeof LiquidityObject>> {
  const { connections, clock } = modules;
  const channels = await Promise.all(connections.all.map((connection) => readChannelsOf(modules, connection)));
  const accounts = connections.all.map(({ ledgerAccount }) => ledgerAccount);
  const rates = await readNodeRates(modules, accounts);
  const nodes = channels.map((one, index) => ({ ...one, ...withDays(one, rates?.[index]) }));
  const counted = nodes.filter(({ status }) => status === 'known');
  const sum = (field: 'spendable_msat' | 'receivable_msat') =>
    counted.length === 0 ? null : counted.reduce((total, node) => total + (node[field] ?? 0), 0);
  const sums = { spendable_msat: sum('spendable_msat'), receivable_msat: sum('receivable_msat') };
  const countedRates = rates?.filter((_, index) => nodes[index]?.status === 'known') ?? [];
  return {
    at: unixSeconds(clock),
    num_nodes: nodes.length,
    num_counted: counted.length,
    ...sums,
    ...withDays(sums, sumRates(countedRates)),
    nodes,
  };
}

/** Returns the current sums of the channels of a node, or the last known ones if it does not answer. */
async function readChannelsOf({ operator }: LiquidityModules, { nodeId }: NodeConnection): Promise<Channels> {
  try {
    const late = () => new Error(`The node did not list its channels within ${ANSWER_MS / 1000} seconds.`);
    const list = await withTimeout(ANSWER_MS, operator.channels(nodeId), late);
    if (list) return { ...sumsOf(nodeId, list), status: list.status, status_reason: list.status_reason };
    throw new Error('The node is unknown.');
  } catch (error) {
    return { ...sumsOf(nodeId, operator.lastChannels(nodeId)), status: 'unavailable', status_reason: errorMessage(error) };
  }
}

function sumsOf(nodeId: string, list: NodeChannels | undefined) {
  return {
    ln_node_id: nodeId,
    at: list?.at ?? null,
    spendable_msat: list?.spendable_msat ?? null,
    receivable_msat: list?.receivable_msat ?? null,
  };
}

/** Payments can use any of the nodes, so the rate of all nodes is known when the rate of one is known. */
function sumRates(rates: readonly NodeRate[]): Omit<NodeRate, 'ledgerAccount'> {
  return {
    inDayMsat: rates.reduce((total, { inDayMsat }) => total + inDayMsat, 0),
    outDayMsat: rates.reduce((total, { outDayMsat }) => total + outDayMsat, 0),
    coversPeriod: rates.some(({ coversPeriod }) => coversPeriod),
  };
}

function withDays(
  { spendable_msat: spendable, receivable_msat: receivable }: Pick<Channels, 'spendable_msat' | 'receivable_msat'>,
  rate: Omit<NodeRate, 'ledgerAccount'> | undefined,
) {
  const known = rate?.coversPeriod ? rate : undefined;
  const lasts = (msat: number | null, perDay: number | undefined) => (msat === null || !perDay ? null : Math.floor(msat / perDay));
  return {
    received_day_msat: known?.inDayMsat ?? null,
    sent_day_msat: known?.outDayMsat ?? null,
    receiving_days: lasts(receivable, known?.inDayMsat),
    sending_days: lasts(spendable, known?.outDayMsat),
  };
}
