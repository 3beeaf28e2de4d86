import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { App } from '../../http/app-type.ts';

/** Registers the standard process metrics, and those that dashboards of this service use. */
export function registerProcessMetrics(app: App, registry: Registry): void {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'nodejs_heap_used_bytes',
    help: 'Memory used by JavaScript',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  app.addHook('onClose', async () => {
    delay.disable();
  });
  new Gauge({
    name: 'satchel_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const percent of [50, 99, 100]) this.set({ quantile: String(percent / 100) }, delay.percentile(percent) / 1e9);
      delay.reset();
    },
  });
}
