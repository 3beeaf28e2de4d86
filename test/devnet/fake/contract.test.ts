import { FakeNetwork } from '../../../devnet/fake/fake.ts';
import { nodeContract } from '../../lightning/contract.ts';

const net = new FakeNetwork({ seed: 'contract' });

nodeContract('the fake node', { open: async () => ({ node: net.connect(), control: net.control }) });
