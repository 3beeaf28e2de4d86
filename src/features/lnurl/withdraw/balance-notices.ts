import { invariant } from '../../../core/kernel/assert.ts';
import { unixSeconds } from '../../../core/kernel/clock.ts';
import { newId } from '../../../core/kernel/ids.ts';
import { errorMessage } from '../../../core/kernel/log.ts';
import { type Msat, ZERO_MSAT } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { OutboundError } from '../../../core/outbound/outbound.ts';
import { endOfLink, requireOpenLink, SMALLEST_WITHDRAWAL, startOfDay, USED } from './open-link.ts';
import * as sql from './withdraw-links.sql.ts';
import type { WithdrawLinkOptions } from './withdraw-links.ts';

/*
 * LUD-15: a wallet that claims a reusable link may send an address, `balanceNotify`. The service calls it when more can be withdrawn with the
 * link than before. The calls are hints: a background job compares the amounts and calls, and gives up an address that does not respond.
 */

/** The maximum of addresses of one link. A further one replaces the oldest. */
const MAX_NOTICES = 5;
/** The waits after failed calls, in seconds. After the last one the address is deleted. */
const RETRY_SECONDS = [60, 300, 1800, 7200, 28_800];
/** Limits of one run of the job. */
const LINKS_PER_RUN = 200;
const CALLS_AT_ONCE = 16;
const CALLS_PER_RUN = 160;

/**
 * Stores the address of a claim that was accepted. `leftMsat` is what can be withdrawn after it. An address that cannot be called is ignored,
 * because the wallet is paid without it. Never throws.
 */
export async function storeNotice(
  { database, outbound, clock, log }: WithdrawLinkOptions,
  link: sql.LinkRow,
  url: string,
  leftMsat: Msat,
): Promise<void> {
  if (link.uses === 1) return;
  try {
    outbound.checkUrl(url);
    await database.transaction(async (tx) => {
      await tx.run(sql.insertNotice, newId(clock.nowMs()), link.id, url, leftMsat);
      await tx.run(sql.deleteOldestNotices, link.id, MAX_NOTICES);
    });
  } catch (error) {
    if (error instanceof OutboundError) return;
    log.warn({ link: link.id, reason: errorMessage(error) }, 'the address for notices of a withdraw link was not stored');
  }
}

/** Returns the job. Each run compares the amounts of some links and makes the calls that are due. */
export function createNoticeJob(options: WithdrawLinkOptions): (signal: AbortSignal) => Promise<void> {
  let lastLinkId = '';
  return async (signal) => {
    const links = await options.database.all(sql.linksWithNotices, lastLinkId, LINKS_PER_RUN);
    for (const { link_id } of links) {
      if (signal.aborted) return;
      await compareAmount(options, link_id);
    }
    lastLinkId = links.length < LINKS_PER_RUN ? '' : (links.at(-1)?.link_id ?? '');
    await makeCalls(options, signal);
  };
}

async function compareAmount(options: WithdrawLinkOptions, linkId: string): Promise<void> {
  const { database, wallets, payments, clock } = options;
  const link = await database.first(sql.findById, startOfDay(clock), linkId);
  const wallet = link && (await wallets.find(link.wallet_id));
  invariant(link && wallet, `withdraw link ${linkId} is gone`);
  const isBusy = await payments.isLinkBusy(linkId);
  const end = endOfLink(link, clock);
  if (end !== undefined && !(end === USED && isBusy)) {
    await database.transaction((tx) => tx.run(sql.deleteNoticesOfLink, linkId));
    return;
  }
  const amountMsat = await requireOpenLink(options, { link, wallet }).then(({ maxMsat }) => maxMsat, zeroIfRefused);
  await database.transaction(async (tx) => {
    // The reserve of a claim in flight lowers the amount for a moment. Its release is no news.
    if (!isBusy) await tx.run(sql.noteFall, linkId, amountMsat);
    return tx.run(sql.noteRise, linkId, amountMsat, unixSeconds(clock), SMALLEST_WITHDRAWAL);
  });
}

function zeroIfRefused(error: unknown): Msat {
  if (error instanceof Refusal) return ZERO_MSAT;
  throw error;
}

async function makeCalls(options: WithdrawLinkOptions, signal: AbortSignal): Promise<void> {
  const due = await options.database.all(sql.listDueNotices, unixSeconds(options.clock), CALLS_PER_RUN);
  for (let first = 0; first < due.length && !signal.aborted; first += CALLS_AT_ONCE) {
    await Promise.all(due.slice(first, first + CALLS_AT_ONCE).map((notice) => sendCall(options, notice, signal)));
  }
}

/** LUD-15: "a blank HTTP POST call". */
async function sendCall(
  { database, outbound, clock, log }: WithdrawLinkOptions,
  notice: sql.DueNotice,
  signal: AbortSignal,
): Promise<void> {
  const { id, url, due_at, failures } = notice;
  const outcome = await outbound.post(url, { headers: {}, body: '', signal }).then(
    ({ status }) => (status >= 200 && status < 300 ? 'received' : 'failed'),
    (error: unknown) => (error instanceof OutboundError ? error.reason : 'failed'),
  );
  if (signal.aborted || outcome === 'busy') return;
  const wait = outcome === 'invalid_url' ? undefined : RETRY_SECONDS[failures];
  await database.transaction(async (tx) => {
    if (outcome === 'received') return tx.run(sql.concludeCall, id, due_at, null, 0);
    if (wait !== undefined) return tx.run(sql.concludeCall, id, due_at, unixSeconds(clock) + wait, failures + 1);
    log.info({ notice: id, outcome, failures }, 'an address for notices of a withdraw link is given up');
    return tx.run(sql.deleteNotice, id);
  });
}
