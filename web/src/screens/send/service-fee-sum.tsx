import { Msat } from '../../parts/amount.tsx';
import { Note } from '../../parts/note.tsx';
import { Sum } from '../../parts/sum.tsx';
import { money } from '../../texts/en-money.ts';
import type { ServiceFee } from './use-service-fee.ts';

export interface ServiceFeeSumProps {
  readonly amountMsat: number;
  readonly fee: ServiceFee;
  /** The review waits for the fee. */
  readonly isWaiting: boolean;
  /** Inside the service there is no routing fee. */
  readonly isInside?: boolean;
}

/** The fee of this service, if it charges one, and what the payment costs with it. */
export function ServiceFeeSum({ amountMsat, fee: { feeMsat, error }, isWaiting, isInside = false }: ServiceFeeSumProps) {
  return (
    <div role="status">
      {feeMsat > 0 && (
        <>
          <Sum
            rows={[
              { name: money.send.serviceFee, value: <Msat msat={feeMsat} /> },
              { name: money.send.total, value: <Msat msat={amountMsat + feeMsat} unit />, isTotal: true },
            ]}
          />
          {!isInside && <p class="tiny secondary">{money.send.totalHint}</p>}
        </>
      )}
      {isWaiting && <p class="small secondary">{money.send.readingFee}</p>}
      {error !== undefined && <Note tone="warning">{money.send.feeNotRead(error)}</Note>}
    </div>
  );
}
