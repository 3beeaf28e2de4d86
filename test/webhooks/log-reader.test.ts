import { expect, it } from 'vitest';
import { PERIODS_PER_DAY } from '../../src/core/db/retention.ts';
import { eventRow } from '../../src/core/journal/events.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { createEventLog } from '../../src/features/events/log.ts';
import { LogReader } from '../../src/features/webhooks/log-reader.ts';
import { WebhookQueue } from '../../src/features/webhooks/queue.ts';
import type { Webhook } from '../../src/features/webhooks/webhook.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';
import { modulesOn } from '../support/modules.ts';

const nothing = (): void => undefined;

onBothDatabases('the reader of events for webhooks', (open) => {
  it('continues with the oldest event when events expired that it had not read', async () => {
    const database = await open();
    const modules = await modulesOn(database);
    const [a, b] = [await modules.wallet(1_000_000), await modules.wallet(0)];
    const log = createEventLog({ database, ledger: modules.ledger, retentionDays: 1 });
    const note = async (subject: string) => {
      const owner = { ledgerAccount: a.ledgerAccount };
      await modules.ledger.post({ events: [eventRow(systemClock, { type: 'wallet_updated', owner, subject })] });
      const transfer = { id: newId(), from: a.ledgerAccount, to: b.ledgerAccount, amountMsat: msat(1) };
      await modules.ledger.post({ transfers: [{ ...transfer, fromType: 'ln_transfer_out', toType: 'ln_transfer_in' }] });
    };
    const endPeriods = async (count: number) => {
      for (let round = 0; round < count; round++) await log.endRetentionPeriod();
    };

    const webhook: Webhook = {
      id: 'whk_1',
      accountId: a.accountId,
      walletId: undefined,
      url: 'https://shop.example',
      eventTypes: undefined,
      userLabel: '',
      status: 'active',
      disabledReason: undefined,
      createdAt: 1,
      updatedAt: 1,
      secrets: [],
      cursor: await log.newest(),
      lastSuccessAt: undefined,
      failingSince: undefined,
      failures: 0,
    };
    const sent: string[] = [];
    const deps = {
      database,
      eventLog: log,
      renderEvents: async (events: readonly object[]) => events,
      sender: {
        async send(_webhook: Webhook, { eventId }: { eventId: string }) {
          sent.push(eventId);
          return { atMs: 1, durationMs: 1, status: 200, error: null, response: '' };
        },
      },
      results: {
        pending: 0,
        insert: nothing,
        update: nothing,
        makeDue: nothing,
        disable: nothing,
        touch: nothing,
        flush: async () => undefined,
        close: async () => undefined,
      },
      clock: systemClock,
      log: silentLog,
      count: nothing,
    };
    const warnings: string[] = [];
    const reader = new LogReader(log, { ...silentLog, warn: (_fields: object, text: string) => void warnings.push(text) });
    const queue = await WebhookQueue.open(deps, webhook, () => reader.place);
    expect(await reader.readFor(queue)).toBe(true);
    expect(await reader.readNew()).toBe(false);
    expect(queue.ownPlace).toBeUndefined();

    await note('expired');
    await endPeriods(2);
    await note('kept');
    await endPeriods(PERIODS_PER_DAY);
    while (await reader.readNew());
    while (queue.isReady) await queue.deliverOne();

    const left = await log.read({ scope: 'all' }, await log.oldest(), 100);
    expect(left.events.map(({ subject }) => subject)).toContain('kept');
    expect(left.events.map(({ subject }) => subject)).not.toContain('expired');
    expect(sent.toSorted()).toEqual(left.events.map(({ id }) => id));
    expect(warnings).toEqual([expect.stringContaining('oldest event')]);
  });
});
