import { api, type OutsidePayment } from '../../api/client.ts';

export type OutsidePaymentList = readonly OutsidePayment[];

/** The page size of the service. */
const PAGE = 1_000;
/** Older payments are not shown. */
const SHOWN = 100;

/** Loads the newest payments of the outside nodes, newest first. */
export async function outsidePayments(signal: AbortSignal): Promise<OutsidePaymentList> {
  let newest: OutsidePaymentList = [];
  for (let after = 0; ; ) {
    const { payments } = await api.playground.listPayments({ after }, { signal });
    newest = [...newest, ...payments].slice(-SHOWN);
    const last = payments.at(-1);
    if (!last || payments.length < PAGE) return newest.toReversed();
    after = last.id;
  }
}
