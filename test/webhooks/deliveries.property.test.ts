import { comparesDeliveriesWithTwin } from './delivery-twin.ts';

comparesDeliveriesWithTwin({ runs: 8, steps: 60, timeoutMs: 180_000 });
