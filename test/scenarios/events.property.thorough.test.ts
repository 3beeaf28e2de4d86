import { comparesEventsWithResponses } from './event-twin.ts';

comparesEventsWithResponses({ runs: 40, steps: 60, timeoutMs: 900_000 });
