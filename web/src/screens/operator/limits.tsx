import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { formatCount } from '../../texts/count.ts';
import { t } from '../../texts/texts.ts';
import { FiatRateCard } from './fiat-rate-card.tsx';
import { OperatorTabs } from './operator-tabs.tsx';

const texts = t.operator.limits;

/** `/operator/limits`: the fiat rate; the limits in force, and the settings that change them. */
export function LimitsScreen() {
  const limits = useResource('limits', (signal) => api.operator.listLimits({}, { signal }));
  return (
    <>
      <PageHead title={t.operator.tabs['/limits'] ?? ''} />
      <OperatorTabs />
      <FiatRateCard />
      <Card>
        <Loaded resource={limits}>
          {(list) => (
            <table class="table">
              <thead>
                <tr>
                  <th>{texts.limit}</th>
                  <th class="end">{texts.value}</th>
                </tr>
              </thead>
              <tbody>
                {list.map((limit) => (
                  <tr key={limit.setting}>
                    <td>
                      {limit.description}
                      <span class="sub mono desktop-only">{limit.setting}</span>
                    </td>
                    <td class="end">
                      <span class="number">{formatCount(limit.value)}</span>
                      <span class="sub">{limit.unit}</span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Loaded>
      </Card>
    </>
  );
}
