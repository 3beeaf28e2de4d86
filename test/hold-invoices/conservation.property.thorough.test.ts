import { conservesMoney } from './conservation.ts';

conservesMoney({ runs: 60, steps: 30, timeoutMs: 900_000 });
