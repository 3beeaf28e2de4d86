import type { ListWalletTransactionsRequest } from '../../../../client/satchel.js';

export const STATUSES = ['all', 'settled', 'pending', 'failed', 'open'] as const;
export const TYPES = [
  'ln_deposit',
  'ln_withdrawal',
  'ln_transfer_in',
  'ln_transfer_out',
  'ln_lnurl_pay_inbound',
  'ln_lnurl_pay_outbound',
  'ln_lnurl_withdraw',
  'network_fee',
  'service_fee',
  'restore_difference',
  'opening_balance',
] as const;

/** The largest amount of the service. */
const MAX_SATS = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

/** The filters of a list of transactions, as the address of the screen has them. */
export interface Filters {
  readonly status: (typeof STATUSES)[number];
  readonly type: (typeof TYPES)[number] | undefined;
  /** Days of the browser's time zone, `2026-11-22`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** A part of the label, or a whole payment hash. */
  readonly label: string | undefined;
  /** Sats, in either direction, as the rows show them. */
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Reads the filters of an address. Values that do not exist are ignored, so that an old link still works. */
export function readFilters(parameters: URLSearchParams): Filters {
  const text = (name: string) => parameters.get(name)?.trim() || undefined;
  const [min, max] = [satsOf(text('min')), satsOf(text('max'))];
  const isRange = min === undefined || max === undefined || min <= max;
  return {
    status: STATUSES.find((status) => status === parameters.get('status')) ?? 'all',
    type: TYPES.find((type) => type === parameters.get('type')),
    from: dayOf(text('from')),
    to: dayOf(text('to')),
    label: text('label'),
    min: isRange ? min : undefined,
    max: isRange ? max : undefined,
  };
}

export function isFiltered(filters: Filters): boolean {
  return filters.status !== 'all' || isNarrowed(filters);
}

/** Returns whether there are filters besides the status. */
export function isNarrowed({ type, from, to, label, min, max }: Filters): boolean {
  return [type, from, to, label, min, max].some((value) => value !== undefined);
}

/** Returns the filters as parameters of the API. */
export function requestOf({ status, type, from, to, label, min, max }: Filters): Omit<ListWalletTransactionsRequest, 'fields'> {
  const isHash = label !== undefined && /^[0-9a-f]{64}$/i.test(label);
  return {
    status,
    ...(type && { type }),
    ...(from && { from: startOf(from) }),
    // The last second of the day.
    ...(to && { to: startOf(nextDay(to)) - 1 }),
    ...(min !== undefined && { min_satoshis: min }),
    ...(max !== undefined && { max_satoshis: max }),
    ...(label && (isHash ? { payment_hash: label.toLowerCase() } : { label })),
  };
}

/** Returns the number of sats that a searched text may mean: a whole number, with or without groups of digits, sign and unit. */
export function searchedSats(text: string): number | undefined {
  const digits = /^[+\-\u2212]?\s?(\d+|\d{1,3}([\s.,'’])\d{3}(?:\2\d{3})*)(?:\s?sats?)?$/i.exec(text)?.[1];
  return satsOf(digits?.replaceAll(/\D/g, ''));
}

function satsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,13}$/.test(text) && Number(text) <= MAX_SATS ? Number(text) : undefined;
}

function dayOf(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const time = new Date(`${text}T00:00:00`).getTime();
  return time >= 0 ? text : undefined;
}

/** Returns when a day begins in the time zone of the browser, in Unix seconds. */
export function startOf(day: string): number {
  return Math.floor(new Date(`${day}T00:00:00`).getTime() / 1000);
}

export function nextDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return textOfDay(new Date(year, month - 1, date + 1));
}

/** Returns the day of a time in the time zone of the browser, `2026-11-22`. */
export function textOfDay(time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
