import type { Client, Json } from './client.ts';

/** One event of `text/event-stream`, with the fields as sent. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly data: Json;
}

/** A live stream of the service, read field by field. */
export interface EventStream {
  readonly response: Response;
  /** The events that have arrived. */
  readonly events: StreamedEvent[];
  /** All text that has arrived. */
  text(): string;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface StreamOptions {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

/** Opens a stream, and returns once its first frame has arrived: the service then misses no event. */
export async function openStream(client: Client, path: string, { key, headers = {} }: StreamOptions = {}): Promise<EventStream> {
  const gone = new AbortController();
  const credential: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
  const sent = { accept: 'text/event-stream', ...credential, ...headers };
  const response = await fetch(client.url + path, { headers: sent, signal: gone.signal });
  if (response.status !== 200) throw new Error(`${path} responded ${response.status}: ${await response.text()}`);
  const events: StreamedEvent[] = [];
  let text = '';
  let firstFrame = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    firstFrame = resolve;
  });
  async function read(): Promise<void> {
    let rest = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const frames = (rest + part).split('\n\n');
      rest = frames.pop() ?? '';
      events.push(...frames.flatMap(parseFrame));
      if (frames.length > 0) firstFrame();
    }
  }
  const ended = read().finally(firstFrame);
  ended.catch(() => undefined);
  await begun;
  return { response, events, ended, text: () => text, close: () => gone.abort() };
}

/** Comments and the first frame are no events. */
function parseFrame(frame: string): StreamedEvent[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
  const data = field('data');
  return data === undefined ? [] : [{ id: field('id'), name: field('event'), data: JSON.parse(data) }];
}
