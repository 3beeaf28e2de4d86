import { Sats } from '../../parts/amount.tsx';
import { Details } from '../../parts/details.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { formatSats } from '../../parts/format-amount.ts';
import { formatRelativeTime } from '../../parts/format-time.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { money } from '../../texts/en-money.ts';
import type { Offer, WithdrawOffer } from './offer.ts';
import { fixedPull, fixedSats } from './order.ts';

/** What the destination is, to whom the payment goes, and what it is for. */
export function OfferCard({ offer }: { offer: Exclude<Offer, { kind: 'unusable' }> }) {
  const [icon, title, text] = headOf(offer);
  const description = descriptionOf(offer);
  const sats = offer.kind === 'withdraw' ? fixedPull(offer) : fixedSats(offer);
  return (
    <div class="stack">
      <div class="offer">
        <Icon name={icon} />
        <div class="shrink">
          <b>{title}</b>
          <span class="sub">{text}</span>
        </div>
      </div>
      <Details
        entries={[
          [money.send.amount, sats === undefined ? undefined : <Sats sats={sats} unit />],
          [money.send.for, description === '' ? undefined : <Foreign text={description} />],
          [offer.kind === 'withdraw' ? money.send.sender : money.send.receiver, otherSide(offer)],
        ]}
      />
    </div>
  );
}

function headOf(offer: Exclude<Offer, { kind: 'unusable' }>): [IconName, string, string] {
  switch (offer.kind) {
    case 'invoice': {
      const until = (Number(offer.invoice.timestamp) + Number(offer.invoice.expiry)) * 1000;
      return ['lightning', money.send.kinds.invoice, money.send.signedUntil(formatRelativeTime(until, Date.now()))];
    }
    case 'link': {
      const { minSendable, maxSendable, commentAllowed } = offer.link;
      const range = money.send.accepts(formatSats(Math.ceil(minSendable / 1000)), formatSats(Math.floor(maxSendable / 1000)));
      const title = offer.isAddress ? money.send.kinds.address : money.send.kinds.link;
      return ['link', title, commentAllowed > 0 ? `${range}, ${money.send.acceptsComment(commentAllowed)}` : range];
    }
    case 'withdraw':
      return [
        'in',
        money.send.kinds.withdraw,
        fixedPull(offer) === undefined ? money.send.pays(...pullRange(offer)) : money.send.withdrawText,
      ];
    case 'node':
      return ['server', money.send.kinds.node, money.send.nodeText];
  }
}

function descriptionOf(offer: Exclude<Offer, { kind: 'unusable' }>): string {
  if (offer.kind === 'invoice') return offer.invoice.description;
  if (offer.kind === 'withdraw') return offer.link.description;
  return offer.kind === 'link' ? offer.link.metadata.text : '';
}

function pullRange({ link }: WithdrawOffer): [least: string, most: string] {
  return [formatSats(Math.ceil(link.minWithdrawable / 1000)), formatSats(Math.floor(link.maxWithdrawable / 1000))];
}

function otherSide(offer: Exclude<Offer, { kind: 'unusable' }>) {
  if (offer.kind === 'link' || offer.kind === 'withdraw') return <Foreign text={offer.link.domain} />;
  return <span class="mono">{offer.kind === 'invoice' ? offer.invoice.destination : offer.text}</span>;
}
