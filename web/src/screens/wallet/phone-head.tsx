import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { openPalette } from '../../frame/use-palette.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { t } from '../../texts/texts.ts';
import './phone-head.css';

export interface PhoneHeadProps {
  readonly walletId: string;
  readonly title: string;
  readonly aside: ComponentChildren;
  readonly menu: ComponentChildren;
  /** The balance. */
  readonly children: ComponentChildren;
}

/** The head of a wallet on a phone: its name opens the list of the other wallets. Receive and Send are in the bar, the rest is in the menu. */
export function PhoneHead({ walletId, title, aside, menu, children }: PhoneHeadProps) {
  useEffect(() => {
    document.title = `${title} · Satchel`;
  }, [title]);
  return (
    <header class="phone-head">
      <div class="row">
        <h1 class="shrink">
          <Link href={`/wallets/${walletId}/switch`}>
            <Icon name="wallet" />
            <bdi class="clip">{title}</bdi>
            <Icon name="chevron-down" size={15} />
          </Link>
        </h1>
        {aside}
        <span class="row push">
          <Button kind="quiet" icon="search" label={t.palette.open} onClick={openPalette} />
          {menu}
        </span>
      </div>
      {children}
    </header>
  );
}
