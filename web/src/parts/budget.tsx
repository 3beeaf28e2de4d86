import type { Key } from '../api/client.ts';
import { policy } from '../texts/en-policy.ts';
import { t } from '../texts/texts.ts';
import { formatMsat } from './amount.tsx';
import { Progress } from './progress.tsx';

export interface BudgetProps {
  /** Those of a key or a connection. */
  readonly limits: Pick<
    Key,
    | 'budget_msat'
    | 'budget_period'
    | 'budget_spent_msat'
    | 'budget_pending_msat'
    | 'max_payment_msat'
    | 'max_out_day_msat'
    | 'max_out_month_msat'
    | 'max_payments_per_minute'
    | 'max_pending'
    | 'out_day_msat'
    | 'out_month_msat'
    | 'payments_this_minute'
    | 'pending_payments'
  >;
  readonly canSend: boolean;
}

/** What a key or an app may still spend. */
export function Budget({ limits, canSend }: BudgetProps) {
  const { budget_msat: limit, budget_period: period, max_payment_msat: cap } = limits;
  const each = [cap === null ? '' : t.keys.each(formatMsat(cap)), ...countedTexts(limits)].filter(Boolean).join(', ');
  if (!canSend) return <span class="secondary">{t.keys.cannotSend}</span>;
  if (limit === null) return <span class="secondary">{each || t.keys.noLimits}</span>;
  const [spent, inFlight] = [limits.budget_spent_msat ?? 0, limits.budget_pending_msat ?? 0];
  const left = Math.max(0, limit - spent - inFlight);
  const label = t.keys.spent(formatMsat(spent), formatMsat(limit), t.keys.periods[period ?? 'ever'] ?? '');
  return (
    <div class="stack tight">
      <span>{label}</span>
      <Progress spent={spent} inFlight={inFlight} limit={limit} label={label} />
      <span class="tiny faint budget-rest">
        {[inFlight > 0 && t.keys.inFlight(formatMsat(inFlight)), t.keys.left(formatMsat(left)), each].filter(Boolean).join(', ')}
      </span>
    </div>
  );
}

/** Returns the limits that are like those of wallets, with what is used of them. */
function countedTexts(limits: BudgetProps['limits']): string[] {
  const { names, usedOf, usedSats } = policy.limits;
  const rows = [
    [names.max_out_day_msat, limits.out_day_msat, limits.max_out_day_msat, true],
    [names.max_out_month_msat, limits.out_month_msat, limits.max_out_month_msat, true],
    [names.max_payments_per_minute, limits.payments_this_minute, limits.max_payments_per_minute, false],
    [names.max_pending, limits.pending_payments, limits.max_pending, false],
  ] as const;
  return rows.flatMap(([name, used, most, isAmount]) => {
    if (most === null) return [];
    const text = isAmount ? usedSats(formatMsat(used ?? 0), formatMsat(most)) : usedOf(used ?? 0, most);
    return [`${name}: ${text}`];
  });
}
