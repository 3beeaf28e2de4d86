import { openSharedPlayground } from '../../../../devnet/playground/client.ts';

// A client whose guard never decides. It prints a line when the guard is called, and waits to be killed.
const log = { info: () => {}, warn: () => {}, error: () => {} };
const { node } = openSharedPlayground({ url: process.argv[2] as string, log });
await node.info();
node.guardIncoming((incoming) => {
  console.log(incoming.paymentHash);
  return new Promise(() => {});
});
console.log('guarding');
