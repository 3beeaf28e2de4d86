import { type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';

/** The time limit for the list of channels. */
export const LIST_CHANNELS_MS = 10_000;

/** Returns an amount that a node reported for a channel; 0 for a missing or invalid amount, so that no sum is too high. */
export function channelMsat(value: unknown): Msat {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? msat(value) : ZERO_MSAT;
}

/** Returns the capacity that a node reported, or undefined if it is missing or invalid. */
export function capacityMsat(value: unknown): Msat | undefined {
  const amount = channelMsat(value);
  return amount === 0 ? undefined : amount;
}
