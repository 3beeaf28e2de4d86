import { CopyButton } from '../../parts/copy.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { t } from '../../texts/texts.ts';

/** The LNURL that a Lightning wallet signs. */
export function WalletQr({ lnurl }: { lnurl: string }) {
  return (
    <>
      <QrCode text={lnurl} label={t.walletLogins.qr} />
      <CopyButton text={lnurl} label={t.walletLogins.copy} hasText kind="plain" size="normal" />
      <a class="button" href={`lightning:${lnurl}`}>
        {t.walletLogins.open}
      </a>
    </>
  );
}
