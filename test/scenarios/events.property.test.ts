import { comparesEventsWithResponses } from './event-twin.ts';

comparesEventsWithResponses({ runs: 3, steps: 12, timeoutMs: 60_000 });
