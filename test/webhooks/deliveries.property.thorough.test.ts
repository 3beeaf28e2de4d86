import { comparesDeliveriesWithTwin } from './delivery-twin.ts';

comparesDeliveriesWithTwin({ runs: 80, steps: 120, timeoutMs: 900_000 });
