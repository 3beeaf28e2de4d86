import type { NewWithdrawLink } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { formatSats } from '../../parts/format-amount.ts';
import { Note } from '../../parts/note.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { QrShare } from '../../parts/qr-share.tsx';
import { print } from '../../texts/en-print.ts';
import { t } from '../../texts/texts.ts';
import { VoucherButton } from './vouchers.tsx';

/** New withdraw links. The service does not store them, so their QR codes are shown and printed only now. */
export function WithdrawLinkOnce({ links, onStored }: { links: readonly NewWithdrawLink[]; onStored: () => void }) {
  const isOne = links.length === 1;
  const texts = links.map(({ lnurl }) => lnurl);
  return (
    <section class="card withdraw-once">
      {isOne && (
        <div class="withdraw-qr">
          <QrCode text={texts[0] ?? ''} label={t.links.withdrawQr} />
        </div>
      )}
      <div class="stack">
        <h2>{isOne ? t.links.withdrawCreated : print.created(links.length)}</h2>
        {links.slice(0, 1).map(({ id, num_satoshis }) => (
          <p key={id}>{t.links.paysEach(formatSats(num_satoshis ?? 0))}</p>
        ))}
        <Note tone="warning">{t.links.withdrawOnce}</Note>
        {isOne && <code class="mono">{texts[0]}</code>}
        <div class="row wrap">
          <CopyButton
            text={texts.join('\n')}
            label={isOne ? t.links.copyLink : print.copyLinks}
            hasText
            kind={isOne ? 'primary' : 'plain'}
            size="normal"
          />
          <VoucherButton links={links} />
          <Button onClick={onStored}>{t.common.stored}</Button>
        </div>
        {links.length === 1 && links.map(({ id, lnurl }) => <QrShare key={id} text={lnurl} name={id} />)}
      </div>
    </section>
  );
}
