import type { SqlParameter } from '../../../core/db/database.ts';
import type { Statement } from '../../../core/db/statement.ts';
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
const NOTICES_PER_RUN = 200;
const CALLS_AT_ONCE = 16;

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

/** Returns the job. Each run compares the amounts of some addresses, and calls those for which more can be withdrawn. */
export function createNoticeJob(options: WithdrawLinkOptions): (signal: AbortSignal) => Promise<void> {
  let lastId = '';
  return async (signal) => {
    const notices = await options.database.all(sql.listNotices, lastId, NOTICES_PER_RUN);
    lastId = notices.length < NOTICES_PER_RUN ? '' : (notices.at(-1)?.id ?? '');
    const due = notices.filter(({ due_at }) => due_at === null || due_at <= unixSeconds(options.clock));
    for (let first = 0; first < due.length && !signal.aborted; first += CALLS_AT_ONCE)
      await Promise.all(due.slice(first, first + CALLS_AT_ONCE).map((notice) => compareAmount(options, notice, signal)));
  };
}

async function compareAmount(options: WithdrawLinkOptions, notice: sql.NoticeRow, signal: AbortSignal): Promise<void> {
  const { database, wallets, clock } = options;
  const { id, link_id, seen_msat, due_at, failures } = notice;
  const link = await database.first(sql.findById, startOfDay(clock), link_id);
  const wallet = link && (await wallets.find(link.wallet_id));
  invariant(link && wallet, `withdraw link ${link_id} is gone`);
  const isBusy = link.is_busy === 1;
  const end = endOfLink(link, clock);
  if (end !== undefined && !(end === USED && isBusy)) return write(options, sql.deleteNotice, id);
  const amountMsat = await requireOpenLink(options, { link, wallet }).then(({ maxMsat }) => maxMsat, zeroIfRefused);
  if (amountMsat >= seen_msat + SMALLEST_WITHDRAWAL) return call(options, notice, amountMsat, signal);
  // The reserve of a claim in flight lowers the amount for a moment. Its release is no news.
  if (amountMsat < seen_msat && !isBusy) return write(options, sql.updateNotice, id, amountMsat, due_at, failures);
}

function zeroIfRefused(error: unknown): Msat {
  if (error instanceof Refusal) return ZERO_MSAT;
  throw error;
}

/** LUD-15: "a blank HTTP POST call". */
async function call(options: WithdrawLinkOptions, notice: sql.NoticeRow, amountMsat: Msat, signal: AbortSignal): Promise<void> {
  const { id, url, seen_msat, failures } = notice;
  const outcome = await options.outbound.post(url, { headers: {}, body: '', signal }).then(
    ({ status }) => (status >= 200 && status < 300 ? 'received' : 'failed'),
    (error: unknown) => (error instanceof OutboundError ? error.reason : 'failed'),
  );
  if (signal.aborted || outcome === 'busy') return;
  if (outcome === 'received') return write(options, sql.updateNotice, id, amountMsat, null, 0);
  const wait = outcome === 'invalid_url' ? undefined : RETRY_SECONDS[failures];
  if (wait !== undefined) return write(options, sql.updateNotice, id, seen_msat, unixSeconds(options.clock) + wait, failures + 1);
  options.log.info({ notice: id, outcome, failures }, 'an address for notices of a withdraw link is given up');
  return write(options, sql.deleteNotice, id);
}

async function write({ database }: WithdrawLinkOptions, statement: Statement, ...parameters: SqlParameter[]): Promise<void> {
  await database.transaction((tx) => tx.run(statement, ...parameters));
}
