import type { PayLink } from '../../api/client.ts';
import { Foreign } from '../../parts/foreign.tsx';
import { PrintButton } from '../../parts/print.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { print as texts } from '../../texts/en-print.ts';
import { t } from '../../texts/texts.ts';
import { nameOf } from './pay-link-table.tsx';

/** Prints a card to put up: the address and its code. */
export function AddressCardButton({ link }: { link: PayLink }) {
  return (
    <PrintButton label={texts.cardAction} size="small">
      <div class="card-sheet">
        <div class="vouchers">
          <section class="voucher">
            <h1>
              <bdi>{nameOf(link)}</bdi>
            </h1>
            <QrCode text={link.lnurl_encoded} label={t.links.qr(nameOf(link))} />
            <p>
              <Foreign text={link.lnurlp_short_desc} />
            </p>
            <p>{link.ln_address === null ? texts.linkCardText : texts.cardText}</p>
          </section>
        </div>
      </div>
    </PrintButton>
  );
}
