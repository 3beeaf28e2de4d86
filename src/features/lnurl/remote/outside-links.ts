import { floorSat, type Msat, satToMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import { type Destination, readDestination, type UsableKind } from './destination.ts';
import { requireOffered } from './offers.ts';
import type { OwnLinks } from './own-links.ts';
import type { RemoteInvoice, RemoteLinks } from './remote-links.ts';
import type { SentInvoice } from './withdrawal.ts';

/** A payment to a link or an address of this service. */
interface OutsideOrder {
  /** The LNURL or the Lightning address. */
  readonly destination: string;
  readonly amountMsat: Msat;
  readonly comment?: string | undefined;
}

/** A withdrawal from a link of this service. */
interface OutsideClaim<T> {
  readonly lnurl: string;
  /** Absent: the largest whole number of satoshis that the link offers. */
  readonly amountMsat?: Msat | undefined;
  readonly createInvoice: (order: { readonly amountMsat: Msat; readonly memo: string }) => Promise<T>;
}

const AMOUNT_FIELD = { amountField: 'num_satoshis', unit: 'sat' } as const;

/**
 * Lets the outside nodes of a test network use links and addresses of this service, as wallets elsewhere do: by the requests of LNURL. They
 * count as requests of the account that controls the nodes.
 */
export function createOutsideLinks({ remoteLinks, ownLinks }: { readonly remoteLinks: RemoteLinks; readonly ownLinks: OwnLinks }) {
  const userOf = (accountId: string) => ({ id: 'playground', accountId });

  /** @throws Refusal also for a link of another service, which has no channel to the test network */
  function readOwn(text: string, kind: UsableKind): Destination {
    const destination = readDestination(text, kind);
    if (ownLinks.isOwn(destination.url)) return destination;
    throw new Refusal(
      'playground_refused',
      `The nodes of the playground use links and addresses of this service, not of ${destination.domain}.`,
    );
  }

  return {
    /** Requests an invoice of a link or an address (LUD-06) and checks it. @throws Refusal */
    async requestInvoice(
      accountId: string,
      { destination, ...order }: OutsideOrder,
    ): Promise<Bolt11 & Pick<RemoteInvoice, 'commentNotSent'>> {
      const own = readOwn(destination, 'pay');
      const requested = await remoteLinks.requestInvoice({ wallet: userOf(accountId), destination: own, ...AMOUNT_FIELD, ...order });
      return { ...requested.invoice, commentNotSent: requested.commentNotSent };
    },

    /** Withdraws from a link into an invoice of another node (LUD-03). @throws Refusal if the link does not pay it */
    async claim<T extends SentInvoice>(accountId: string, { lnurl, amountMsat: wanted, createInvoice }: OutsideClaim<T>): Promise<T> {
      const { invoice, refusal } = await remoteLinks.withdrawElsewhere(userOf(accountId), readOwn(lnurl, 'withdraw'), (offer) => {
        const amountMsat = wanted ?? satToMsat(Math.max(1, floorSat(offer.maxWithdrawable)));
        requireOffered(offer, { amountMsat, ...AMOUNT_FIELD });
        return createInvoice({ amountMsat, memo: offer.description });
      });
      if (refusal) throw refusal;
      return invoice;
    },
  };
}
