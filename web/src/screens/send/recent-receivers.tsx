import { Link } from 'wouter-preact';
import { api } from '../../api/client.ts';
import { useContacts } from '../../api/contacts.ts';
import { useResource } from '../../api/resource.ts';
import { phone } from '../../texts/en-phone.ts';
import './recent-receivers.css';

/** Among so many of the newest payments, receivers are looked for. */
const PAYMENTS_READ = 50;
const SHOWN = 5;

export interface RecentReceiversProps {
  readonly walletId: string;
  readonly onChoose: (address: string) => void;
  /** Adds a link to the contacts. */
  readonly hasContacts?: boolean;
}

/** The Lightning addresses that the wallet has paid last, each once, with the names of contacts. */
export function RecentReceivers({ walletId, onChoose, hasContacts = false }: RecentReceiversProps) {
  const { data: receivers = [] } = useResource(`receivers of ${walletId}`, (signal) => readReceivers(walletId, signal), {
    isAffected: ({ event, data: { wtx } }) => event.name === 'wallet_send' && wtx?.wal?.id === walletId,
  });
  const { data: contacts = [] } = useContacts();
  const names = new Map(contacts.map(({ name, ln_address }) => [ln_address, name]));
  const link = hasContacts && (
    <p class="small">
      <Link href="/contacts">{phone.contacts.all}</Link>
      {' · '}
      <Link href={`/links/withdraw?wallet=${walletId}`}>{phone.voucher}</Link>
    </p>
  );
  if (receivers.length === 0) return link || null;
  return (
    <section class="receivers" aria-label={phone.receivers}>
      <h3 class="small secondary">{phone.receivers}</h3>
      <ul>
        {receivers.map((address) => (
          <li key={address}>
            <Receiver address={address} name={names.get(address)} onChoose={onChoose} />
          </li>
        ))}
      </ul>
      {link}
    </section>
  );
}

interface ReceiverProps {
  readonly address: string;
  /** Of a contact. */
  readonly name: string | undefined;
  readonly onChoose: (address: string) => void;
}

function Receiver({ address, name, onChoose }: ReceiverProps) {
  return (
    <button type="button" onClick={() => onChoose(address)}>
      <span class="initial" aria-hidden="true">
        {(name ?? address).slice(0, 1).toUpperCase()}
      </span>
      <span class="shrink">
        <bdi>{name ?? address}</bdi>
        {name !== undefined && <bdi class="tiny secondary">{address}</bdi>}
      </span>
    </button>
  );
}

async function readReceivers(walletId: string, signal: AbortSignal): Promise<string[]> {
  const request = { type: 'ln_lnurl_pay_outbound', status: 'settled', 'per-page': PAYMENTS_READ, fields: 'passThru' } as const;
  const payments = await api.wallets.listTransactions(walletId, request, { signal });
  const addresses = payments.map(({ passThru }) => (passThru as { ln_address?: unknown } | null | undefined)?.ln_address);
  return [...new Set(addresses.filter((address) => typeof address === 'string'))].slice(0, SHOWN);
}
