import { api, type OperatorOverview } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { formatSats } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Stat } from '../../parts/stat.tsx';
import { formatCount } from '../../texts/count.ts';
import { service } from '../../texts/en-service.ts';

const { webhooks: webhookTexts, limits: limitTexts } = service;

/** The waiting and failing deliveries to the webhooks of all accounts. */
export function WebhooksCard({ overview: { webhooks } }: { overview: OperatorOverview }) {
  const { active, disabled, waiting, retrying, failed_24h: failed } = webhooks;
  return (
    <Card
      title={webhookTexts.title}
      actions={
        disabled > 0 && (
          <Badge tone="waiting" icon="alert">
            {webhookTexts.disabled(disabled)}
          </Badge>
        )
      }
      isPadded
    >
      <div class="stack">
        <Stat name={webhookTexts.waiting} remark={webhookTexts.active(formatCount(active))}>
          {formatSats(waiting)}
        </Stat>
        <Stat name={webhookTexts.failed} remark={webhookTexts.failedRemark}>
          {formatCount(failed)}
        </Stat>
        <Stat name={webhookTexts.retrying} remark={webhookTexts.retryingRemark}>
          {formatSats(retrying)}
        </Stat>
        <div class="row wrap">
          <LinkButton size="small" href="/webhooks">
            {webhookTexts.show}
          </LinkButton>
        </div>
      </div>
    </Card>
  );
}

/** The limits per wallet and key that the card shows. The page of limits shows all of them. */
const SHOWN = ['MAX_PAYMENTS_IN_FLIGHT', 'MAX_OPEN_INVOICES', 'RATE_LIMIT_PER_SECOND'];

/** The fees and limits of accounts and wallets for which none are set. */
export function LimitsCard() {
  const limits = useResource('limits', (signal) => api.operator.listLimits({}, { signal }));
  return (
    <Card title={limitTexts.title} isPadded>
      <div class="stack">
        <Loaded resource={limits}>
          {(list) => (
            <>
              {list
                .filter(({ setting }) => SHOWN.includes(setting))
                .map(({ setting, description, value, unit }) => (
                  <Stat key={setting} name={description} remark={unit}>
                    {formatSats(value)}
                  </Stat>
                ))}
            </>
          )}
        </Loaded>
        <p class="small secondary">{limitTexts.defaults}</p>
        <div class="row wrap">
          <LinkButton size="small" href="/operator/limits">
            {limitTexts.show}
          </LinkButton>
          <LinkButton size="small" href="/customers">
            {limitTexts.customers}
          </LinkButton>
        </div>
      </div>
    </Card>
  );
}
