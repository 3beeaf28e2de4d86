import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';
import { Button, type ButtonProps } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { steps as texts } from '../../texts/en-steps.ts';

const FUND_SATS = 21_000;

/** On the playground, its operator can fund an empty wallet. Elsewhere nothing. */
export function PlaygroundFund({ walletId }: { walletId: string }) {
  const isOperator = useSession().account.role === 'operator';
  const { data } = useResource(isOperator ? 'has playground' : undefined, (signal) => api.operator.getFirstSteps({}, { signal }));
  return data?.has_playground ? <FundButton walletId={walletId} /> : null;
}

interface FundButtonProps extends Pick<ButtonProps, 'kind' | 'size'> {
  readonly walletId: string;
  readonly onFunded?: () => void;
}

/** Lets a node of the playground pay an invoice of the wallet. */
export function FundButton({ walletId, onFunded, ...look }: FundButtonProps) {
  const fund = useAction(async () => {
    await api.playground.fund({ wallet_id: walletId, num_satoshis: FUND_SATS });
    onFunded?.();
  });
  return (
    <>
      <Button {...look} disabled={fund.isBusy} onClick={() => fund.run()}>
        {texts.fund}
      </Button>
      {fund.error !== undefined && <Note tone="error">{fund.error}</Note>}
    </>
  );
}
