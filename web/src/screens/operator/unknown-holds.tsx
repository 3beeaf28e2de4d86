import { useState } from 'preact/hooks';
import { api, type UnknownHold } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { t } from '../../texts/texts.ts';
import { ReasonSheet } from './reason-sheet.tsx';

const texts = t.operator.unknownHolds;
/** Each read asks the node for all of its unpaid invoices. */
const REFRESH_MS = 60_000;
const SHOWN = 20;

interface UnknownHoldsProps {
  readonly nodeId: string;
  readonly onChanged: () => void;
}

/** The payments that a node holds and about which no wallet decides, such as those whose invoices a restore has lost. Nothing if there are none. */
export function UnknownHolds({ nodeId, onChanged }: UnknownHoldsProps) {
  const [action, setAction] = useState<{ kind: 'settle' | 'cancel'; hold: UnknownHold }>();
  const { data: holds = [], reload } = useResource(
    `unknown holds ${nodeId}`,
    (signal) => api.operator.listUnknownHolds(nodeId, { 'per-page': SHOWN }, { signal }),
    { everyMs: REFRESH_MS },
  );
  if (holds.length === 0 && !action) return null;
  const reloadAll = () => {
    reload();
    onChanged();
  };
  return (
    <Card title={texts.title} footer={<span class="small secondary">{texts.text}</span>}>
      {holds.map((hold) => (
        <div class="padded stack tight" key={hold.id}>
          <div class="row">
            <span class="strong">
              <Foreign text={hold.memo ?? ''} />
            </span>
            <span class="push number strong">{formatMsat(hold.num_msat)}</span>
          </div>
          <p class="tiny faint">
            {texts.blocks(hold.blocks_left)} {hold.ln_node_id}
          </p>
          <p class="mono tiny">{hold.id}</p>
          <div class="row wrap">
            <Button size="small" onClick={() => setAction({ kind: 'settle', hold })}>
              {texts.settle}
            </Button>
            <Button size="small" onClick={() => setAction({ kind: 'cancel', hold })}>
              {texts.cancel}
            </Button>
          </div>
        </div>
      ))}
      {action && <DecisionSheet {...action} onChanged={reloadAll} onClose={() => setAction(undefined)} />}
    </Card>
  );
}

interface DecisionSheetProps {
  readonly kind: 'settle' | 'cancel';
  readonly hold: UnknownHold;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function DecisionSheet({ kind, hold, onChanged, onClose }: DecisionSheetProps) {
  const [preimage, setPreimage] = useState('');
  const { id, ln_node_id: nodeId } = hold;
  const sats = formatMsat(hold.num_msat);

  function run(reason: string, options: { idempotencyKey: string }) {
    if (kind === 'settle') return api.operator.settleUnknownHold(nodeId, id, { preimage, reason }, options);
    return api.operator.cancelUnknownHold(nodeId, id, { reason }, options);
  }

  return (
    <ReasonSheet
      title={kind === 'settle' ? texts.settleTitle : texts.cancelTitle}
      text={kind === 'settle' ? texts.settleText(sats) : texts.cancelText(sats)}
      action={kind === 'settle' ? texts.settleAction(sats) : texts.cancelAction}
      tone="danger"
      isIncomplete={kind === 'settle' && !/^[0-9a-f]{64}$/i.test(preimage)}
      run={run}
      onDone={onChanged}
      onClose={onClose}
    >
      {kind === 'settle' && (
        <TextField
          label={t.operator.stuck.preimage}
          hint={texts.preimageHint}
          maxLength={64}
          class="mono"
          value={preimage}
          onValue={setPreimage}
        />
      )}
    </ReasonSheet>
  );
}
