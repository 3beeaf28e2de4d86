import { openPlayground } from '../../../src/lightning/playground/playground.ts';
import { nodeContract } from '../contract.ts';
import { closeAfterAll, collectLog, tempDir } from './support/open.ts';

const dataDir = tempDir();
const closing = closeAfterAll();

nodeContract('the playground', { open: async () => closing(await openPlayground({ dataDir, log: collectLog() })) });
