import type { NodeChannels } from '../../api/client.ts';
import { BalanceBar, wholeSats } from '../../parts/balance-bar.tsx';
import { channels as texts } from '../../texts/en-channels.ts';

/** What all active channels of a node, or of all nodes, can send and receive together. Nothing if it is not known. */
export function ChannelSums({
  list,
  isIdle = false,
}: {
  list: Pick<NodeChannels, 'spendable_msat' | 'receivable_msat'>;
  isIdle?: boolean;
}) {
  const { spendable_msat: sendMsat, receivable_msat: receiveMsat } = list;
  if (sendMsat === null || receiveMsat === null) return null;
  return (
    <div>
      <BalanceBar sendMsat={sendMsat} receiveMsat={receiveMsat} label={texts.bar} isIdle={isIdle} />
      <div class="balance-ends">
        <span>
          <span class="secondary">{texts.send}</span> <b class="number">{wholeSats(sendMsat)}</b>
        </span>
        <span class="push">
          <span class="secondary">{texts.receive}</span> <b class="number">{wholeSats(receiveMsat)}</b>
        </span>
      </div>
    </div>
  );
}
