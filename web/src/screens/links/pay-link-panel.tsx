import { useAction } from '../../api/action.ts';
import { api, type PayLink } from '../../api/client.ts';
import { Msat } from '../../parts/amount.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Details } from '../../parts/details.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Note } from '../../parts/note.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { QrShare } from '../../parts/qr-share.tsx';
import { Stat } from '../../parts/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { useWalletLabels } from '../../parts/wallet-names.ts';
import { formatCount } from '../../texts/count.ts';
import { payers as texts } from '../../texts/en-payers.ts';
import { t } from '../../texts/texts.ts';
import { AddressCardButton } from './address-card.tsx';
import { PayButtonCode } from './pay-button-code.tsx';
import { amountsOf, isActive, LastUse, nameOf } from './pay-link-table.tsx';

/** A pay link beside the list: its QR code and what it allows. */
export function PayLinkPanel({ link, onChanged, closeHref }: { link: PayLink; onChanged: () => void; closeHref: string }) {
  const label = useWalletLabels([link.wallet_id]).get(link.wallet_id);
  const { run, isBusy, error } = useAction(async () => {
    await api.payLinks.update(link.id, { status: isActive(link) ? 'inactive' : 'active' });
    onChanged();
  });
  return (
    <aside class="link-panel">
      <Card
        title={<bdi>{nameOf(link)}</bdi>}
        isPadded
        actions={<LinkButton kind="quiet" size="small" icon="close" label={t.common.close} href={closeHref} />}
      >
        <div class="stack">
          <QrCode text={link.lnurl_encoded} label={t.links.qr(nameOf(link))} />
          {!isActive(link) && <Note tone="warning">{t.links.inactiveHint}</Note>}
          <div class="row">
            {link.ln_address !== null && <CopyButton text={link.ln_address} label={t.links.copyAddress} hasText kind="plain" />}
            <CopyButton text={link.lnurl_encoded} label={t.links.copyLink} hasText kind="plain" />
          </div>
          <QrShare text={link.lnurl_encoded} shared={link.ln_address ?? link.page_url} name={link.ln_address ?? link.id} />
          <Stat name={texts.received} remark={texts.paymentsOf(formatCount(link.payments ?? 0))}>
            <Msat msat={link.received_msat ?? 0} unit />
          </Stat>
          <Details
            entries={[
              [texts.lastUse, <LastUse key="use" at={link.last_paid_at} />],
              [t.links.into, <bdi>{label ?? link.wallet_id}</bdi>],
              [t.links.amount, `${amountsOf(link)} ${t.common.sats}`],
              [
                texts.page,
                <a href={link.page_url} target="_blank" rel="noreferrer">
                  {texts.openPage}
                </a>,
              ],
              [t.links.text, <Foreign text={link.lnurlp_short_desc} />],
              [t.links.comment, link.lnurlp_commentAllowed > 0 ? t.links.commentUpTo(link.lnurlp_commentAllowed) : t.links.noComment],
              [t.links.created, <Time at={link.created_at} />],
            ]}
          />
          <PayButtonCode pageUrl={link.page_url} />
          {error !== undefined && <Note tone="error">{error}</Note>}
          <div class="row wrap">
            <LinkButton size="small" href={`/links/${link.id}/edit`}>
              {t.links.edit}
            </LinkButton>
            <AddressCardButton link={link} />
            <Button size="small" disabled={isBusy} onClick={() => run()}>
              {isActive(link) ? t.links.deactivate : t.links.activate}
            </Button>
          </div>
        </div>
      </Card>
    </aside>
  );
}
