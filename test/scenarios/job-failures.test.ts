import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import type { Instances } from '../../src/core/db/instances.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { type Job, runJobs } from '../../src/jobs.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';

onBothDatabases('a background job that fails', (open) => {
  it('raises one alert after three failures in a row, which closes when the job succeeds', async () => {
    const { start, alerts } = jobsOn(await open());
    let isBroken = true;
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (isBroken) throw new Error('no such table');
    };
    start([{ name: 'webhook retention', lease: 'node-listener', interval: 1, run }]);
    await expect.poll(alerts.listOpen).toHaveLength(1);
    const message = 'failed 3 times in a row; the last time: no such table';
    expect(await alerts.listOpen()).toMatchObject([{ kind: 'job_failing', subject: 'webhook retention', message }]);
    const after = runs + 3;
    await expect.poll(() => runs).toBeGreaterThan(after);
    isBroken = false;
    await expect.poll(alerts.listOpen).toEqual([]);
    expect(await alerts.list('all').count(10)).toBe(1);
  });

  it('raises the alert after a later failure if it could not be stored', async () => {
    const { start, alerts } = jobsOn(await open());
    const { raise } = alerts;
    vi.spyOn(alerts, 'raise').mockRejectedValueOnce(new Error('the disk is full')).mockImplementation(raise);
    start([{ name: 'reconciliation', lease: 'reconcile', interval: 1, run: () => Promise.reject(new Error('not understood')) }]);
    await expect.poll(alerts.listOpen).toMatchObject([{ subject: 'reconciliation' }]);
    expect(alerts.raise).toHaveBeenCalledTimes(2);
  });

  it('raises no alert while it succeeds in between', async () => {
    const { start, alerts } = jobsOn(await open());
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs % 3 !== 0) throw new Error('busy');
    };
    start([{ name: 'pending payments', lease: 'node-listener', interval: 1, run }]);
    await expect.poll(() => runs).toBeGreaterThan(12);
    expect(await alerts.list('all').count(10)).toBe(0);
  });

  it('closes the alert of an earlier process', async () => {
    const { start, alerts } = jobsOn(await open());
    await alerts.raise({ kind: 'job_failing', subject: 'reconciliation', message: 'failed' });
    await alerts.raise({ kind: 'job_failing', subject: 'another', message: 'failed' });
    start([{ name: 'reconciliation', lease: 'reconcile', interval: 60_000, run: async () => undefined }]);
    await expect.poll(async () => (await alerts.listOpen()).map(({ subject }) => subject)).toEqual(['another']);
  });

  it('is started again if it runs without an end, and interrupts no other job of its lease', async () => {
    const { start, alerts } = jobsOn(await open());
    let isBroken = true;
    let others = 0;
    const untilAborted = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    start([
      {
        name: 'reconciliation',
        lease: 'reconcile',
        interval: 'continuous',
        run: async (signal) => (isBroken ? Promise.reject(new Error('not understood')) : untilAborted(signal)),
      },
      {
        name: 'another',
        lease: 'reconcile',
        interval: 'continuous',
        async run(signal) {
          others += 1;
          await untilAborted(signal);
        },
      },
    ]);
    await expect.poll(alerts.listOpen).toMatchObject([{ subject: 'reconciliation' }]);
    isBroken = false;
    await expect.poll(alerts.listOpen).toEqual([]);
    expect(others).toBe(1);
  });
});

function jobsOn(database: Database) {
  const alerts = createAlerts(database, systemClock, silentLog);
  const underLease: Instances['underLease'] = (_, signal, work) => work(signal);
  const instances = { underLease } as Instances;
  return {
    alerts,
    start(jobs: readonly Job[]): void {
      const stopping = new AbortController();
      const running = runJobs({ instances, alerts, log: pino({ level: 'silent' }) }, jobs, stopping.signal, { retryMs: 1, healthyMs: 1 });
      onTestFinished(async () => {
        stopping.abort();
        await running;
      });
    },
  };
}
