import type { FeeSchedule } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';
import { LinkButton } from '../parts/button.tsx';
import { Card } from '../parts/card.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { policy } from '../texts/en-policy.ts';
import { FEE_DIRECTIONS, type FeeDirection, ruleInWords } from './fee-rule.ts';
import './policy.css';

export interface FeesCardProps {
  readonly fees: Resource<FeeSchedule>;
  /** The address of the screen, below which the sheets are. */
  readonly path: string;
  /** Whether the fees of an account above apply when the account has none. */
  readonly isSubAccount: boolean;
}

/** The fees of an account by direction, in words. */
export function FeesCard({ fees, path, isSubAccount }: FeesCardProps) {
  const texts = policy.fees;
  return (
    <Card
      title={texts.title}
      isPadded
      actions={
        <>
          <LinkButton size="small" href={`${path}/fee-versions`}>
            {texts.versions}
          </LinkButton>
          <LinkButton size="small" href={`${path}/fees`}>
            {fees.data?.id ? texts.edit : texts.set}
          </LinkButton>
        </>
      }
    >
      <Loaded resource={fees}>
        {(schedule) =>
          schedule.id === null ? (
            <p class="secondary">{isSubAccount ? texts.inherited : texts.noSchedule}</p>
          ) : (
            <div class="stack tight">
              <FeeWords schedule={schedule} />
              <p class="tiny secondary">
                {texts.version(schedule.version)}, <Time at={schedule.created_at ?? 0} />
              </p>
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The fee of each direction. */
export function FeeWords({ schedule }: { readonly schedule: Pick<FeeSchedule, FeeDirection> }) {
  return (
    <dl class="fee-words">
      {FEE_DIRECTIONS.map((direction) => (
        <div key={direction}>
          <dt>{policy.fees.directions[direction]}</dt>
          <dd>{ruleInWords(schedule[direction])}</dd>
        </div>
      ))}
    </dl>
  );
}
