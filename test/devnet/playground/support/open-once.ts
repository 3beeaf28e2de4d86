import { openPlayground } from '../../../../devnet/playground/playground.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
try {
  const { node } = await openPlayground({ dataDir: process.argv[2] as string, log });
  await node.close();
  console.log('opened');
} catch (error) {
  console.log(String(error));
}
