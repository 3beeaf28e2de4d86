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

/** The filters of a list of transactions, as the address of the screen has them. */
export interface Filters {
  readonly status: (typeof STATUSES)[number];
  readonly type: (typeof TYPES)[number] | undefined;
  /** Days of the browser's time zone, `2026-11-22`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** A part of the label, or a whole payment hash. */
  readonly label: string | undefined;
}

/** Reads the filters of an address. Values that do not exist are ignored, so that an old link still works. */
export function readFilters(parameters: URLSearchParams): Filters {
  const text = (name: string) => parameters.get(name)?.trim() || undefined;
  return {
    status: STATUSES.find((status) => status === parameters.get('status')) ?? 'all',
    type: TYPES.find((type) => type === parameters.get('type')),
    from: dayOf(text('from')),
    to: dayOf(text('to')),
    label: text('label'),
  };
}

export function isFiltered({ status, type, from, to, label }: Filters): boolean {
  return status !== 'all' || [type, from, to, label].some((value) => value !== undefined);
}

/** Returns the filters as parameters of the API. */
export function requestOf({ status, type, from, to, label }: Filters): Omit<ListWalletTransactionsRequest, 'fields'> {
  const isHash = label !== undefined && /^[0-9a-f]{64}$/i.test(label);
  return {
    status,
    ...(type && { type }),
    ...(from && { from: startOf(from) }),
    // The last second of the day.
    ...(to && { to: startOf(nextDay(to)) - 1 }),
    ...(label && (isHash ? { payment_hash: label.toLowerCase() } : { label })),
  };
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
