import { comparesDeliveriesWithTwin } from './delivery-twin.ts';

comparesDeliveriesWithTwin({ runs: 4, steps: 60, timeoutMs: 180_000 });
