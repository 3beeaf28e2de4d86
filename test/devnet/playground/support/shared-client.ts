import { openSharedPlayground } from '../../../../devnet/playground/client.ts';

// A client that is asked about incoming payments and never decides; it says so and waits to be killed.
const log = { info: () => {}, warn: () => {}, error: () => {} };
const { node } = openSharedPlayground({ url: process.argv[2] as string, log });
await node.info();
node.guardIncoming((incoming) => {
  console.log(incoming.paymentHash);
  return new Promise(() => {});
});
console.log('guarding');
