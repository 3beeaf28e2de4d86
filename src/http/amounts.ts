import { Type } from 'typebox';
import { type AmountUnit, type Msat, msat, satToMsat } from '../core/kernel/money.ts';
import { Refusal } from '../core/kernel/refusal.ts';
import { described, NumSatoshis, PositiveMsat } from './fields.ts';

/** The fields of an amount: every request that moves money accepts one of them. */
export const AMOUNT = {
  num_satoshis: Type.Optional(described(NumSatoshis, 'The amount in whole satoshis. Send it or `num_msat`')),
  num_msat: Type.Optional(described(PositiveMsat, 'The amount in millisatoshis, instead of `num_satoshis`')),
};

/** An amount of a request, with the field that contained it. */
export interface RequestedAmount {
  readonly amountMsat: Msat;
  readonly amountField: 'num_satoshis' | 'num_msat' | 'amt_msat';
  /** The unit of the field, in which errors name amounts. */
  readonly unit: AmountUnit;
}

type AmountFields = Partial<Record<RequestedAmount['amountField'], number>>;

/** Returns the amount of a request. @throws Refusal if it is given twice or, unless it is optional, not at all */
export function readAmount(fields: AmountFields): RequestedAmount {
  const amount = optionalAmount(fields);
  if (amount) return amount;
  throw new Refusal(
    'validation_failed',
    '`num_satoshis` is missing: it must be a whole number of satoshis, 1 or more. Or send `num_msat`.',
  );
}

/** The same for a request that needs no amount. */
export function optionalAmount(fields: AmountFields): RequestedAmount | undefined {
  const [given, second] = FIELDS.filter((field) => fields[field] !== undefined);
  if (given === undefined) return undefined;
  if (second !== undefined) throw new Refusal('validation_failed', `Send either \`${given}\` or \`${second}\`, not both.`);
  const value = fields[given] ?? 0;
  const isSat = given === 'num_satoshis';
  return { amountField: given, amountMsat: isSat ? satToMsat(value) : msat(value), unit: isSat ? 'sat' : 'msat' };
}

const FIELDS = ['num_satoshis', 'num_msat', 'amt_msat'] as const;
