import { comparesEventsWithResponses } from './event-twin.ts';

comparesEventsWithResponses({ runs: 12, steps: 60, timeoutMs: 900_000 });
