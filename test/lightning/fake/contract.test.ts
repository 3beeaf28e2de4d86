import { FakeNetwork } from '../../../src/lightning/fake/fake.ts';
import { nodeContract } from '../contract.ts';

const net = new FakeNetwork({ seed: 'contract' });

nodeContract('the fake node', { open: async () => ({ node: net.connect(), control: net.control }) });
