import { startRelay } from '../../devnet/relay.ts';

// A relay as a process of its own, which a test can stop with a signal.
process.stdout.write(`${(await startRelay()).url}\n`);
