import { formatMsat } from './amount.tsx';
import './balance-bar.css';

export interface BalanceBarProps {
  readonly sendMsat: number;
  readonly receiveMsat: number;
  /** What lies between the two is reserved or in flight. Default: their sum. */
  readonly capacityMsat?: number | undefined;
  /** The numbers as a sentence, from whole sats. */
  readonly label: (send: string, receive: string) => string;
  /** The amounts cannot be used now. */
  readonly isIdle?: boolean;
}

/** What a channel can send, from the left and solid, against what it can receive, from the right and hatched. */
export function BalanceBar({ sendMsat, receiveMsat, capacityMsat = 0, label, isIdle = false }: BalanceBarProps) {
  const whole = Math.max(capacityMsat, sendMsat + receiveMsat);
  const share = (part: number) => ({ width: `${whole > 0 ? (part / whole) * 100 : 0}%` });
  return (
    <div class={isIdle ? 'balance-bar idle' : 'balance-bar'} role="img" aria-label={label(wholeSats(sendMsat), wholeSats(receiveMsat))}>
      <i class="send" style={share(sendMsat)} />
      <i class="receive" style={share(receiveMsat)} />
    </div>
  );
}

/** Returns an amount in whole sats, rounded down. */
export function wholeSats(msat: number): string {
  return formatMsat(Math.trunc(msat / 1000) * 1000);
}
