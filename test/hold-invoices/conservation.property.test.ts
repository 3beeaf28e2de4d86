import { conservesMoney } from './conservation.ts';

conservesMoney({ runs: 8, steps: 12, seed: 11, timeoutMs: 60_000 });
