import type { Limits } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';
import { formatMsat } from '../parts/amount.tsx';
import { LinkButton } from '../parts/button.tsx';
import { Card } from '../parts/card.tsx';
import { Details } from '../parts/details.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Progress } from '../parts/progress.tsx';
import { policy } from '../texts/en-policy.ts';
import { LIMIT_NAMES, type LimitName } from './limit-names.ts';

const texts = policy.limits;

/** The limits of an account, and how much of them is used. */
export function LimitsCard({ limits, path }: { readonly limits: Resource<Limits>; readonly path: string }) {
  return (
    <Card
      title={texts.title}
      isPadded
      actions={
        <LinkButton size="small" href={`${path}/limits`}>
          {limits.data && hasLimits(limits.data) ? texts.edit : texts.set}
        </LinkButton>
      }
    >
      <Loaded resource={limits}>{(loaded) => <LimitList limits={loaded} />}</Loaded>
    </Card>
  );
}

export function hasLimits(limits: Limits): boolean {
  return LIMIT_NAMES.some((name) => limits[name] !== null);
}

/** Each limit with what is used of it. */
export function LimitList({ limits }: { readonly limits: Limits }) {
  if (!hasLimits(limits)) return <p class="secondary">{texts.noLimits}</p>;
  return <Details entries={LIMIT_NAMES.map((name) => [texts.names[name], <LimitValue name={name} limits={limits} />])} />;
}

function LimitValue({ name, limits }: { readonly name: LimitName; readonly limits: Limits }) {
  const limit = limits[name];
  if (limit === null) return <span class="secondary">{texts.none}</span>;
  const used = usedOf(name, limits);
  if (used === undefined) return policy.fees.sats(formatMsat(limit));
  if (!name.endsWith('_msat')) return texts.usedOf(used, limit);
  const label = texts.usedSats(formatMsat(used), formatMsat(limit));
  return (
    <div class="stack tight">
      <span>{label}</span>
      <Progress spent={used} limit={limit} label={`${texts.names[name]}: ${label}`} />
    </div>
  );
}

/** Returns how much of a limit is used, for limits that count. */
function usedOf(name: LimitName, limits: Limits): number | undefined {
  switch (name) {
    case 'max_out_day_msat':
      return limits.out_day_msat;
    case 'max_out_month_msat':
      return limits.out_month_msat;
    case 'max_payments_per_minute':
      return limits.payments_this_minute;
    case 'max_pending':
      return limits.pending_payments;
    default:
      return undefined;
  }
}
