import { comparesDeliveriesWithTwin } from './delivery-twin.ts';

comparesDeliveriesWithTwin({ runs: 40, steps: 120, timeoutMs: 900_000 });
