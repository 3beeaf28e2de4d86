import { connect } from 'node:net';
import type { Client, HttpResponse, RequestOptions } from '../../support/client.ts';

/** A response with all its headers, and its request. */
export interface RecordedResponse {
  readonly request: string;
  readonly status: number;
  /** Headers and body. */
  readonly text: string;
  readonly body: HttpResponse['body'];
}

/** Sends requests and records all responses. */
export class Recorder {
  readonly responses: RecordedResponse[] = [];
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<RecordedResponse> {
    const { status, headers, text, body } = await this.#client.request(method, path, options);
    return this.#keep({ request: `${method} ${path}`, status, text: `${JSON.stringify([...headers])}\n${text}`, body });
  }

  /** Sends bytes that no client would send, and records the response. */
  raw(bytes: string): Promise<RecordedResponse> {
    const { hostname, port } = new URL(this.#client.url);
    return new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
      socket.on('data', (data) => (text += data));
      socket.on('error', reject);
      socket.on('close', () => resolve(this.#keep({ request: 'raw', status: Number(text.slice(9, 12)), text, body: undefined })));
    });
  }

  #keep(response: RecordedResponse): RecordedResponse {
    this.responses.push(response);
    return response;
  }
}
