import type { NewWithdrawLink } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { t } from '../../texts/texts.ts';

/** A new withdraw link. The service does not store it, so its QR code is shown only now. */
export function WithdrawLinkOnce({ link, onStored }: { link: NewWithdrawLink; onStored: () => void }) {
  return (
    <section class="card withdraw-once">
      <div class="withdraw-qr">
        <QrCode text={link.lnurl} label={t.links.withdrawQr} />
      </div>
      <div class="stack">
        <h2>{t.links.withdrawCreated}</h2>
        <Note tone="warning">{t.links.withdrawOnce}</Note>
        <code class="mono">{link.lnurl}</code>
        <div class="row wrap">
          <CopyButton text={link.lnurl} label={t.links.copyLink} hasText kind="primary" size="normal" />
          <Button onClick={onStored}>{t.common.stored}</Button>
        </div>
      </div>
    </section>
  );
}
