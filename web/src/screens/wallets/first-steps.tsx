import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type FirstSteps as State } from '../../api/client.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { steps as texts } from '../../texts/en-steps.ts';
import { handToSend } from '../send/pasted-text.ts';
import { FundButton } from '../wallet/playground-fund.tsx';
import type { FirstStepsProps } from './use-first-steps.ts';
import './first-steps.css';

type Step = State['steps'][number]['step'];

/** The checklist of a new service. The next step has the filled button. */
export function FirstSteps({ state, onChanged }: FirstStepsProps) {
  const hide = useAction(async () => {
    await api.operator.updateFirstSteps({ is_hidden: true });
    onChanged();
  });
  const { steps, has_playground: hasPlayground } = state;
  const done = steps.filter(({ is_done }) => is_done).length;
  const next = steps.find(({ is_done }) => !is_done)?.step;
  return (
    <div class="first-steps">
      <Card
        title={texts.title}
        actions={<span class="small secondary number">{texts.progress(done, steps.length)}</span>}
        footer={
          <>
            <span class="small secondary">{texts.recognized}</span>
            <Button kind="quiet" size="small" class="push" disabled={hide.isBusy} onClick={() => hide.run()}>
              {texts.hide}
            </Button>
          </>
        }
      >
        <div class="padded">
          <Progress spent={done} limit={steps.length} label={texts.progressLabel(done, steps.length)} />
          {hide.error !== undefined && <Note tone="error">{hide.error}</Note>}
        </div>
        <ol class="steps">
          {steps.map(({ step, is_done }, index) => (
            <StepRow
              key={step}
              step={step}
              state={state}
              place={index + 1}
              look={is_done ? 'done' : step === next ? 'now' : 'later'}
              onChanged={onChanged}
            />
          ))}
        </ol>
      </Card>
      {!hasPlayground && (
        <Card title={texts.ready} isPadded>
          <p class="small secondary">{texts.readyText}</p>
          <CopyText text="bin/satchel doctor" label={texts.copyCommand} />
        </Card>
      )}
    </div>
  );
}

interface StepProps {
  readonly step: Step;
  readonly state: State;
  readonly look: 'done' | 'now' | 'later';
  readonly onChanged: () => void;
}

function StepRow({ place, ...props }: StepProps & { readonly place: number }) {
  const { step, state, look } = props;
  const explained = state.has_playground ? texts.texts.playground : texts.texts.node;
  const text = step === 'address' ? texts.address(state.address_domain) : explained[step];
  return (
    <li class={look === 'later' ? undefined : look}>
      <span class="mark" aria-hidden="true">
        {look === 'done' ? <Icon name="done" size={16} /> : place}
      </span>
      <div>
        <span class="name">
          {look !== 'later' && <span class="visually-hidden">{look === 'done' ? texts.done : texts.next}</span>}
          {texts.names[step]}
        </span>
        {text !== undefined && <span class="sub">{text}</span>}
        {step === 'backup' && look !== 'done' && <CopyText text="bin/satchel backup" label={texts.copyCommand} />}
      </div>
      <span class="step-action">{look !== 'done' && <StepAction {...props} />}</span>
    </li>
  );
}

const INVOICE_SATS = 1_000;

/** The button that does a step. On the playground, its other nodes pay and are paid. */
function StepAction({ step, state, look, onChanged }: StepProps) {
  const [, navigate] = useLocation();
  const { wallet_id: wallet, has_playground: hasPlayground } = state;
  const invoice = useAction(async () => {
    const { payment_request } = await api.playground.createInvoice({ num_satoshis: INVOICE_SATS, memo: 'Shop' });
    handToSend(payment_request);
    navigate(`/wallets/${wallet}/send`);
  });
  const button = { size: 'small', ...(look === 'now' && { kind: 'primary' as const }) } as const;
  if (hasPlayground && wallet !== null) {
    if (step === 'receive') return <FundButton {...button} walletId={wallet} onFunded={onChanged} />;
    if (step === 'send')
      return (
        <>
          <Button {...button} disabled={invoice.isBusy} onClick={() => invoice.run()}>
            {texts.getInvoice}
          </Button>
          {invoice.error !== undefined && <Note tone="error">{invoice.error}</Note>}
        </>
      );
  }
  const href = hrefOf(step, wallet);
  return href === undefined ? null : (
    <LinkButton {...button} href={href}>
      {texts.actions[step]}
    </LinkButton>
  );
}

/** Returns the screen of a step; undefined while it needs a wallet first, or where a command does it. */
function hrefOf(step: Step, wallet: string | null): string | undefined {
  if (step === 'receive' || step === 'send') return wallet === null ? undefined : `/wallets/${wallet}/${step}`;
  const screens: Readonly<Record<string, string>> = {
    node: '/operator',
    wallet: '/wallets/new',
    address: '/links/new',
    key: '/keys/new',
    webhook: '/webhooks/new',
  };
  return screens[step];
}
