import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { hasLimits, LimitList } from '../../policy/limits-card.tsx';
import { policy } from '../../texts/en-policy.ts';
import { concernsWallet } from './use-wallet.ts';

const texts = policy.limits;

/** The limits of a wallet and of its account, and how much of them is used. Nothing without limits, which most wallets do not have. */
export function WalletLimits({ id }: { readonly id: string }) {
  const limits = useResource(`wallet limits ${id}`, (signal) => api.wallets.listLimits(id, {}, { signal }), {
    isAffected: (event) => concernsWallet(event, id),
  });
  return (
    <Loaded resource={limits} skeleton={false}>
      {(list) => {
        const limited = list.filter(hasLimits);
        if (limited.length === 0) return null;
        return (
          <Card
            title={texts.title}
            isPadded
            actions={
              <LinkButton size="small" href={`/wallets/${id}/limits`}>
                {limited.some(({ owner_id }) => owner_id === id) ? texts.edit : texts.set}
              </LinkButton>
            }
          >
            <div class="columns">
              {limited.map((one) => (
                <div key={one.owner_id} class="stack tight">
                  <h3 class="small">{one.owner_id === id ? texts.ofWallet : texts.ofAccount}</h3>
                  <LimitList limits={one} />
                </div>
              ))}
            </div>
          </Card>
        );
      }}
    </Loaded>
  );
}
