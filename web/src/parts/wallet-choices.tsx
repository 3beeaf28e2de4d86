import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { phone } from '../texts/en-phone.ts';
import { t } from '../texts/texts.ts';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import { SkeletonRows } from './skeleton.tsx';
import { useWalletSearch } from './wallet-names.ts';
import './wallet-choices.css';

export interface WalletChoicesProps {
  /** Returns the address that the choice of a wallet opens. */
  readonly hrefOf: (walletId: string) => string;
}

/** The newest wallets of the account, and a search for the others. */
export function WalletChoices({ hrefOf }: WalletChoicesProps) {
  const [text, setText] = useState('');
  const { wallets, isCurrent } = useWalletSearch(text);
  return (
    <>
      <TextField label={phone.choose.search} value={text} onValue={setText} autocomplete="off" maxLength={255} />
      {wallets === undefined ? (
        <SkeletonRows count={5} />
      ) : (
        <ul class="choices">
          {wallets.map(({ id, label }) => (
            <li key={id}>
              <Link href={hrefOf(id)} replace>
                <Icon name="wallet" />
                <bdi class="shrink">{label}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p class="small secondary" role="status">
        {isCurrent ? wallets?.length === 0 && t.common.noWalletFound : t.common.searching}
      </p>
    </>
  );
}
