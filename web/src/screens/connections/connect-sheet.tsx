import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { HAS_LNDHUB, HAS_NWC } from '../../api/app-protocols.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { areLimitsValid, limitOrder } from '../../parts/limit-fields.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { apps } from '../../texts/en-apps.ts';
import { type AppDraft, AppLimits, FIRST_BUDGET, PermissionFields } from './app-limits.tsx';
import { PERMISSIONS } from './app-request.ts';
import { LinkOnce } from './link-once.tsx';

const PROTOCOLS = (['nwc', 'lndhub'] as const).filter((one) => (one === 'nwc' ? HAS_NWC : HAS_LNDHUB));
type Protocol = (typeof PROTOCOLS)[number];

/** The fields of the sheet, as the person typed them. */
interface Draft extends AppDraft {
  readonly protocol: Protocol;
  readonly walletId: string;
  readonly name: string;
  /** Of the key, for LNDhub. */
  readonly kind: string;
}

interface Connected {
  /** Of the connection or of the key. */
  readonly id: string;
  readonly link: string;
  readonly name: string;
  /** Absent for LNDhub. */
  readonly connection?: { readonly id: string; readonly walletId: string };
}

const EMPTY = { name: '', kind: 'wallet_admin', permissions: PERMISSIONS, cap: '', expiry: '', ...FIRST_BUDGET };

export interface ConnectSheetProps {
  /** The wallet that is chosen at first. */
  readonly walletId: string;
  /** @param id the id of the connection, or of the key */
  readonly onConnected: (id: string) => void;
  readonly onClose: () => void;
}

/** Connects an app, then shows its link once. A second click repeats the request and connects no second app. */
export function ConnectSheet({ walletId, onConnected, onClose }: ConnectSheetProps) {
  const [connected, setConnected] = useState<Connected>();
  const [draft, setDraft] = useState<Draft>();
  const present = draft ?? { ...EMPTY, protocol: PROTOCOLS[0] ?? 'nwc', walletId };
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    const made = await idempotent((options) => connect(present, options));
    setConnected(made);
    onConnected(made.id);
  });
  if (connected)
    return (
      // A new sheet, which moves the focus into itself.
      <Sheet key="link" title={apps.scan(connected.name)} onClose={onClose}>
        {connected.connection ? (
          <WatchedLink link={connected.link} {...connected.connection} onDone={onClose} />
        ) : (
          <LinkOnce link={connected.link} onDone={onClose} />
        )}
      </Sheet>
    );
  const canSend = canAppSend(present);
  const isComplete = present.walletId !== '' && (present.protocol === 'lndhub' || present.permissions.length > 0);
  const set = (name: keyof Draft) => (value: string) => setDraft({ ...present, [name]: value });
  return (
    <Sheet title={apps.connect} onClose={onClose}>
      {PROTOCOLS.length === 0 ? (
        <Note tone="warning">{apps.offBoth}</Note>
      ) : (
        <Form onSubmit={() => isComplete && areLimitsValid(present, canSend) && run()}>
          <ProtocolFields value={present.protocol} onValue={(protocol) => setDraft({ ...present, protocol })} />
          <TextField label={apps.name} hint={apps.nameHint} maxLength={200} value={present.name} onValue={set('name')} />
          <WalletSelect label={apps.wallet} value={present.walletId} onValue={set('walletId')} />
          {present.protocol === 'nwc' ? (
            <PermissionFields value={present.permissions} onValue={(permissions) => setDraft({ ...present, permissions })} />
          ) : (
            <SelectField label={apps.may} value={present.kind} onValue={set('kind')} options={optionsOf(apps.kinds)} />
          )}
          <AppLimits draft={present} onDraft={setDraft} canSend={canSend} />
          {error !== undefined && <Note tone="error">{error}</Note>}
          <Button kind="primary" size="big" type="submit" disabled={isBusy || !isComplete}>
            {apps.connectNamed(present.name)}
          </Button>
        </Form>
      )}
    </Sheet>
  );
}

function ProtocolFields({ value, onValue }: { value: Protocol; onValue: (value: Protocol) => void }) {
  return (
    <fieldset class="app-protocols">
      <legend class="visually-hidden">{apps.protocol}</legend>
      {PROTOCOLS.map((one) => (
        <label key={one} class={one === value ? 'app-protocol chosen' : 'app-protocol'}>
          <input type="radio" name="protocol" checked={one === value} onChange={() => onValue(one)} />
          <span>
            {apps.protocols[one].name}
            <span class="sub">{apps.protocols[one].hint}</span>
          </span>
        </label>
      ))}
      {!HAS_NWC && <p class="small secondary">{apps.off}</p>}
    </fieldset>
  );
}

/** The use of a connection changes without an event. */
const WATCH_MS = 3000;

function WatchedLink({ id, walletId, link, onDone }: { id: string; walletId: string; link: string; onDone: () => void }) {
  const { data } = useResource(`connection ${id}`, (signal) => api.connections.get(walletId, id, {}, { signal }), { everyMs: WATCH_MS });
  const isUsed = data !== undefined && data.last_used_at !== null;
  return <LinkOnce link={link} isUsed={isUsed} onDone={onDone} />;
}

function canAppSend({ protocol, kind, permissions }: Draft): boolean {
  return protocol === 'nwc' ? permissions.includes('wallet_withdraw') : kind === 'wallet_admin';
}

async function connect(draft: Draft, options: { idempotencyKey: string }): Promise<Connected> {
  const { protocol, walletId, name, kind, permissions } = draft;
  // Keys without a label are not listed with the apps.
  const label = name || (protocol === 'lndhub' ? apps.protocols.lndhub.name : '');
  const body = { ...(label !== '' && { user_label: label }), ...limitOrder(draft, canAppSend(draft)) };
  if (protocol === 'nwc') {
    const { id, uri } = await api.connections.create(walletId, { ...body, permissions: [...permissions] }, options);
    return { id, link: uri, name, connection: { id, walletId } };
  }
  const { id, lndhub_link: link } = await api.wallets.createKey(
    walletId,
    { ...body, kind: kind as 'wallet_admin' | 'wallet_invoice' },
    options,
  );
  if (link === null) throw new Error('The service has LNDhub, so a new key of a wallet has a link.');
  return { id, link, name };
}
