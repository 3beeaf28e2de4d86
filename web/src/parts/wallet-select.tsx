import { api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { t } from '../texts/texts.ts';
import { SelectField } from './field.tsx';

export interface WalletSelectProps {
  readonly label: string;
  /** The id of a wallet; empty for `none`. */
  readonly value: string;
  readonly onValue: (id: string) => void;
  /** The name of the choice without a wallet. Without it, a wallet must be chosen. */
  readonly none?: string;
  readonly hint?: string;
}

/** The most wallets in the list. Screens for more of them are opened from the wallet. */
const MAX_WALLETS = 100;

/** A choice of one of the account's wallets, by label. */
export function WalletSelect({ label, value, onValue, none, hint }: WalletSelectProps) {
  const options = useWalletNames();
  const first = none === undefined ? [{ value: '', label: t.common.chooseWallet }] : [{ value: '', label: none }];
  return (
    <SelectField label={label} value={value} onValue={onValue} options={[...first, ...options]} {...(hint !== undefined && { hint })} />
  );
}

/** Returns the wallets as options: ids and labels. */
export function useWalletNames(): readonly { readonly value: string; readonly label: string }[] {
  const wallets = useResource(
    'wallet names',
    (signal) => api.listWallets({ 'per-page': MAX_WALLETS, fields: 'id,user_label' }, { signal }),
    {
      isAffected: ({ event }) => event.name === 'wallet_created' || event.name === 'wallet_updated',
    },
  );
  return (wallets.data ?? []).flatMap(({ id, user_label: label }) => (id === undefined ? [] : [{ value: id, label: label || id }]));
}
