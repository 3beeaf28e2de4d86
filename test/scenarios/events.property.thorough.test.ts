import { comparesEventsWithResponses } from './event-twin.ts';

comparesEventsWithResponses({ runs: 25, steps: 60, timeoutMs: 900_000 });
