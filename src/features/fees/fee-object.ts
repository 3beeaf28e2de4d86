import { type Static, Type } from 'typebox';
import { FEE_DIRECTIONS, type FeeDirection, type ServiceFeeRule } from '../../core/fees/fee-rule.ts';
import type { FeeRules, FeeSchedule } from '../../core/fees/fees.ts';
import { MAX_MSAT, type Msat, msat, ZERO_MSAT } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { described } from '../../http/fields.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';

const MEANINGS: Readonly<Record<FeeDirection, string>> = {
  ln_out: 'Payments over the network and keysends. The wallet pays the fee in addition to the amount',
  ln_in: 'Money that arrives over the network. The fee is taken from the credit and is at most the amount',
  internal: 'Transfers, and payments of invoices of this service. The sender pays',
  link: 'Claims of withdraw links. The wallet of the link pays in addition to the amount',
};

const amountField = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_MSAT, unit: 'millisatoshis', description }));

const RuleBody = Type.Object(
  {
    flat_msat: amountField('A fixed part. Default: 0'),
    proportional_millionths: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        unit: 'millionths of the amount',
        description: 'A share of the amount in millionths, rounded down to a millisatoshi: 10000 is 1 %. Default: 0',
      }),
    ),
    min_msat: amountField('The least that is charged for an amount that is not free. Default: 0'),
    max_msat: amountField('The most that is charged. Default: no maximum'),
    free_below_msat: amountField('Smaller amounts are free. Default: 0'),
  },
  { additionalProperties: false },
);

const rule = (direction: FeeDirection) => Type.Optional(described(RuleBody, MEANINGS[direction]));

/** The rules of a request, by direction. */
export const RulesBody = Type.Object(
  { ln_out: rule('ln_out'), ln_in: rule('ln_in'), internal: rule('internal'), link: rule('link') },
  { additionalProperties: false, description: 'The fees by direction. A direction that is absent is free' },
);

const RuleObject = Type.Object({
  flat_msat: Type.Integer({ description: 'The fixed part in millisatoshis' }),
  proportional_millionths: Type.Integer({ description: 'The share of the amount in millionths, rounded down to a millisatoshi' }),
  min_msat: Type.Integer({ description: 'The least that is charged for an amount that is not free, in millisatoshis' }),
  max_msat: nullable(Type.Integer({ description: 'The most that is charged, in millisatoshis; null without a maximum' })),
  free_below_msat: Type.Integer({ description: 'Smaller amounts are free, in millisatoshis' }),
});

const ruleOf = (direction: FeeDirection) => nullable(described(RuleObject, `${MEANINGS[direction]}. Null: free`));

export const FeeScheduleObject = namedObject('FeeSchedule', {
  id: nullable(Type.String({ description: 'The id of this version, `fee_…`; null if there are no fees' })),
  owner_id: nullable(Type.String({ description: 'The account or the wallet that has this schedule; null if there are no fees' })),
  version: Type.Integer({ description: 'The number of this version of the owner, from 1; 0 if there are no fees' }),
  created_at: nullable(Type.Integer({ description: 'When it was set, in Unix seconds; null if there are no fees' })),
  ln_out: ruleOf('ln_out'),
  ln_in: ruleOf('ln_in'),
  internal: ruleOf('internal'),
  link: ruleOf('link'),
});

export const FeeVersionObject = namedObject('FeeVersion', {
  ...FeeScheduleObject.properties,
  id: Type.String({ description: 'The id of this version, `fee_…`' }),
  is_removed: Type.Boolean({ description: 'Whether this version removed the schedule of its owner' }),
  made_by: Type.String({ description: 'The key or session that set it, and its account' }),
  reason: Type.String({ description: 'Why; may be empty' }),
});

export function renderSchedule(schedule: FeeSchedule | undefined): Static<typeof FeeScheduleObject> {
  const rule = (direction: FeeDirection) => renderRule(schedule?.rules?.[direction]);
  return {
    id: schedule?.id ?? null,
    owner_id: schedule?.ownerId ?? null,
    version: schedule?.version ?? 0,
    created_at: schedule?.createdAt ?? null,
    ln_out: rule('ln_out'),
    ln_in: rule('ln_in'),
    internal: rule('internal'),
    link: rule('link'),
  };
}

export function renderVersion(schedule: FeeSchedule): Static<typeof FeeVersionObject> {
  const { id, rules, madeBy: made_by, reason } = schedule;
  return { ...renderSchedule(schedule), id, is_removed: rules === undefined, made_by, reason };
}

function renderRule(rule: ServiceFeeRule | undefined): Static<typeof RuleObject> | null {
  if (!rule) return null;
  const { flatMsat, proportionalMillionths, minMsat, maxMsat, freeBelowMsat } = rule;
  return {
    flat_msat: flatMsat,
    proportional_millionths: proportionalMillionths,
    min_msat: minMsat,
    max_msat: maxMsat ?? null,
    free_below_msat: freeBelowMsat,
  };
}

/** Returns the rules of a request. @throws Refusal naming the field */
export function readRules(body: Static<typeof RulesBody>): FeeRules {
  return Object.fromEntries(
    FEE_DIRECTIONS.flatMap((direction) => {
      const rule = body[direction];
      return rule ? [[direction, readRule(direction, rule)]] : [];
    }),
  );
}

function readRule(direction: FeeDirection, body: Static<typeof RuleBody>): ServiceFeeRule {
  const amount = (value: number | undefined): Msat => (value === undefined ? ZERO_MSAT : msat(value));
  const minMsat = amount(body.min_msat);
  const maxMsat = body.max_msat === undefined ? undefined : msat(body.max_msat);
  if (maxMsat !== undefined && maxMsat < minMsat)
    throw new Refusal('validation_failed', `\`rules.${direction}.max_msat\` must not be less than \`min_msat\`.`);
  return {
    flatMsat: amount(body.flat_msat),
    proportionalMillionths: body.proportional_millionths ?? 0,
    minMsat,
    maxMsat,
    freeBelowMsat: amount(body.free_below_msat),
  };
}
