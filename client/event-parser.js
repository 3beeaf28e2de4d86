/**
 * Parses `text/event-stream` (HTML standard, section 9.2.6), which arrives in pieces of any size. `push` returns the messages that a piece has
 * completed. A message that has only an id is returned as well, because a client resumes from that id.
 */
export function createEventParser() {
  let rest = '';
  let id;
  let event;
  let data = [];
  let retryMs;

  function endMessage() {
    const messages = id === undefined && data.length === 0 ? [] : [{ id, event: event || 'message', data: data.join('\n') }];
    id = undefined;
    event = undefined;
    data = [];
    return messages;
  }

  function readLine(line) {
    if (line === '') return endMessage();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    if (name === 'event') event = value;
    if (name === 'id' && !value.includes('\0')) id = value;
    if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
    return [];
  }

  return {
    /** The wait before the next connection, if the server has sent one. */
    get retryMs() {
      return retryMs;
    },
    push(text) {
      // A carriage return at the end may be the first half of a line end.
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      return lines.flatMap(readLine);
    },
  };
}
