import type { NewWithdrawLink } from '../../api/client.ts';
import { Sats } from '../../parts/amount.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { formatExactTime } from '../../parts/format-time.ts';
import { PrintButton } from '../../parts/print.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { print as texts } from '../../texts/en-print.ts';
import { t } from '../../texts/texts.ts';

/** Prints withdraw links, each as a voucher with its own code. */
export function VoucherButton({ links }: { links: readonly NewWithdrawLink[] }) {
  return (
    <PrintButton label={links.length === 1 ? texts.voucherAction : texts.vouchersAction}>
      <div class="vouchers">
        {links.map((link) => (
          <section key={link.id} class="voucher">
            <h2>{link.memo === '' ? texts.voucher : <Foreign text={link.memo} />}</h2>
            {link.num_satoshis !== null && (
              <p class="large">
                <Sats sats={link.num_satoshis} unit />
              </p>
            )}
            <QrCode text={link.lnurl} label={t.links.withdrawQr} />
            <p>{link.uses === 1 ? texts.voucherText : texts.manyText}</p>
            {link.expires_at !== null && <p>{texts.until(formatExactTime(link.expires_at * 1000))}</p>}
          </section>
        ))}
      </div>
    </PrintButton>
  );
}
