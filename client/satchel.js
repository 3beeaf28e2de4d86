import { streamEvents } from './events.js';
import { createList } from './lists.js';
import { GROUPS } from './operations.js';
import { createSender } from './requests.js';
import { waitForEnd } from './waiting.js';

export { ConnectionError, isTemporary, SatchelError } from './errors.js';
export { verifyWebhook, WebhookError } from './webhooks.js';

/** A client with one method for each operation of the API, in groups. */
export function createClient(options) {
  const send = createSender(options);
  const client = {};
  for (const [group, operations] of Object.entries(GROUPS))
    client[group] = Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [name, createMethod(send, parseOperation(operation))]),
    );
  const { events, lightningTransactions } = client;
  events.stream = (streamOptions) => streamEvents({ ...options, ...streamOptions });
  lightningTransactions.wait = (id, waitOptions) => waitForEnd((...rest) => lightningTransactions.get(id, ...rest), waitOptions);
  return client;
}

/** Reads a line of the table: the method, the path and flags. */
function parseOperation(line) {
  const [method, path, ...flags] = line.split(' ');
  return { method, path, ...Object.fromEntries(flags.map((flag) => [flag, true])) };
}

/** A method takes the parameters of the path, an object with the other fields, and the options of the request. */
function createMethod(send, operation) {
  const count = operation.path.split('{').length - 1;
  return (...args) => {
    const [request, options] = args.slice(count);
    const sent = [operation, args.slice(0, count), request ?? {}, options ?? {}];
    return operation.isList ? createList(send, ...sent) : send(...sent).then(({ value }) => value);
  };
}
