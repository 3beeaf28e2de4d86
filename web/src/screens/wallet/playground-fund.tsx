import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { steps as texts } from '../../texts/en-steps.ts';

export const FUND_SATS = 21_000;

/** On the playground, the operator can fund a wallet: a node of the playground pays an invoice of the wallet. Renders nothing elsewhere. */
export function PlaygroundFund({ walletId }: { walletId: string }) {
  const isOperator = useSession().account.role === 'operator';
  const { data } = useResource(isOperator ? 'has playground' : undefined, (signal) => api.operator.getFirstSteps({}, { signal }));
  const fund = useAction(() => api.playground.fund({ wallet_id: walletId, num_satoshis: FUND_SATS }));
  if (!data?.has_playground) return null;
  return (
    <>
      <Button disabled={fund.isBusy} onClick={() => fund.run()}>
        {texts.fund}
      </Button>
      {fund.error !== undefined && <Note tone="error">{fund.error}</Note>}
    </>
  );
}
