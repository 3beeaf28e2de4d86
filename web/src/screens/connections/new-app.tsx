import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { HAS_NWC } from '../../api/app-protocols.ts';
import { api } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Form } from '../../parts/form.tsx';
import { formatTime } from '../../parts/format-time.ts';
import { areLimitsValid, limitOrder } from '../../parts/limit-fields.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { apps } from '../../texts/en-apps.ts';
import { type AppDraft, AppLimits, FIRST_BUDGET, PermissionFields } from './app-limits.tsx';
import { type AppRequest, answerOf, PERMISSIONS, type RequestProblem, readAppRequest } from './app-request.ts';
import './connections.css';

/**
 * `/apps/new`: a site asks to be connected (`NWCClient.fromAuthorizationUrl` of `@getalby/sdk`). The person chooses the wallet by hand: no
 * page can make a single click, which it has prepared, connect an app.
 */
export function NewAppScreen() {
  const [request] = useState(() =>
    readAppRequest(new URLSearchParams(location.search), {
      referrer: document.referrer,
      hasOpener: window.opener !== null,
      ownOrigin: location.origin,
      nowSeconds: Date.now() / 1000,
    }),
  );
  return (
    <>
      <PageHead title={apps.connect} />
      <Card isPadded class="app-request">
        {!HAS_NWC ? (
          <Note tone="warning">{apps.off}</Note>
        ) : typeof request === 'string' ? (
          <Refused problem={request} />
        ) : (
          <RequestForm request={request} />
        )}
      </Card>
    </>
  );
}

function Refused({ problem }: { problem: RequestProblem }) {
  return (
    <Note tone="error" action={<Link href="/connections/new">{apps.request.withLink}</Link>}>
      {apps.request.problems[problem]}
    </Note>
  );
}

interface Draft extends AppDraft {
  readonly walletId: string;
}

function RequestForm({ request }: { request: AppRequest }) {
  const [, navigate] = useLocation();
  const [isConnected, setIsConnected] = useState(false);
  const [draft, setDraft] = useState<Draft>(() => draftOf(request));
  const idempotent = useIdempotent();
  const canSend = draft.permissions.includes('wallet_withdraw');
  const { run, isBusy, error } = useAction(async () => {
    const order = { user_label: request.name || request.origin, permissions: [...draft.permissions], client_pubkey: request.pubkey };
    const body = { ...order, ...limitOrder(draft, canSend) };
    const created = await idempotent((options) => api.connections.create(draft.walletId, body, options));
    sendAnswer(request, created);
    setIsConnected(true);
  });
  if (isConnected)
    return (
      <div role="status">
        <Note tone="good">{apps.request.close}</Note>
      </div>
    );
  const isComplete = draft.walletId !== '' && draft.permissions.length > 0;
  const { expiresAt, unsupported } = request;
  return (
    <Form onSubmit={() => isComplete && areLimitsValid(draft, canSend) && run()}>
      <Details
        entries={[
          [apps.request.app, request.name !== '' && <bdi key="name">{request.name}</bdi>],
          [
            apps.request.site,
            <b key="site" class="app-site">
              <bdi>{request.origin}</bdi>
            </b>,
          ],
        ]}
      />
      <Note tone="warning">{apps.request.check}</Note>
      {request.isIsolated && <Note>{apps.request.isolated}</Note>}
      {unsupported.length > 0 && <Note>{apps.request.unsupported(unsupported.map((one) => one.slice(0, 50)).join(', '))}</Note>}
      <WalletSelect
        label={apps.wallet}
        hint={apps.chooseWallet}
        value={draft.walletId}
        onValue={(walletId) => setDraft({ ...draft, walletId })}
      />
      <PermissionFields value={draft.permissions} onValue={(permissions) => setDraft({ ...draft, permissions })} />
      <AppLimits
        draft={draft}
        onDraft={setDraft}
        canSend={canSend}
        givenExpiry={
          expiresAt === undefined
            ? undefined
            : { value: `u${expiresAt}`, label: apps.request.expiry(formatTime(expiresAt * 1000, Date.now())) }
        }
      />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind="primary" size="big" type="submit" disabled={isBusy || !isComplete}>
        {apps.connectNamed('')}
      </Button>
      <Button size="big" onClick={() => cancel(navigate)}>
        {apps.request.cancel}
      </Button>
    </Form>
  );
}

function draftOf({ permissions, budgetSats, period, expiresAt }: AppRequest): Draft {
  return {
    walletId: '',
    permissions: permissions.length > 0 ? permissions : PERMISSIONS,
    ...(budgetSats === undefined ? FIRST_BUDGET : { budget: String(budgetSats), period }),
    cap: '',
    expiry: expiresAt === undefined ? '' : `u${expiresAt}`,
  };
}

/** The browser delivers the message only if the opener is still a page of the site that the person has confirmed. */
function sendAnswer({ origin }: AppRequest, created: Parameters<typeof answerOf>[0]): void {
  (window.opener as Window | null)?.postMessage(answerOf(created), origin);
}

/** Only windows that a page has opened can be closed. */
function cancel(navigate: (to: string) => void): void {
  if (window.opener) window.close();
  else navigate('/connections');
}
