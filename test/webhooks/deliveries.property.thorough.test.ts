import { comparesDeliveriesWithTwin } from './delivery-twin.ts';

comparesDeliveriesWithTwin({ runs: 150, steps: 120, timeoutMs: 900_000 });
