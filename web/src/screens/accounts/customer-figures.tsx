import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Sats } from '../../parts/amount.tsx';
import { Card } from '../../parts/card.tsx';
import { startOfLastDays } from '../../parts/last-days.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { t } from '../../texts/texts.ts';

/** What an account has, and what moved in 30 days. */
export function CustomerFigures({ id }: { readonly id: string }) {
  const from = startOfLastDays(30);
  const summary = useResource(`account summary ${id} ${from}`, (signal) => api.accounts.getSummary(id, { from }, { signal }));
  return (
    <Card isPadded>
      <Loaded resource={summary} skeleton={<Skeleton height="72px" />}>
        {({ balance_msat, pending_msat, wallets, in_msat, in_count, out_msat, out_count, fees_msat }) => (
          <div class="customer-figures">
            <Stat name={t.wallet.balance} remark={texts.walletCount(wallets ?? 0)}>
              <Sats sats={floor(balance_msat)} unit />
            </Stat>
            <Stat name={texts.moneyIn} remark={texts.times(in_count)}>
              <Sats sats={floor(in_msat)} sign unit />
            </Stat>
            <Stat
              name={texts.moneyOut}
              remark={
                <>
                  {texts.times(out_count)}, {texts.fees} <Sats sats={floor(fees_msat)} unit />
                </>
              }
            >
              <Sats sats={-floor(out_msat)} sign unit />
            </Stat>
            <Stat name={texts.held}>
              <Sats sats={floor(pending_msat)} unit />
            </Stat>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function floor(msat: number): number {
  return Math.floor(msat / 1000);
}
