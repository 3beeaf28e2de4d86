import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

/** A mail that the server has accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers in lower case, unfolded and decoded. */
  readonly headers: ReadonlyMap<string, string>;
  /** The decoded body. */
  readonly text: string;
}

type Command = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'end of data';

/** Returns the reply to a command in place of the usual one; `hang`: none. */
type Script = (command: Command, argument: string) => string | 'hang' | undefined;

/** How a server encrypts, with a certificate of test/outbound/fixtures for 127.0.0.1. */
interface Encryption {
  readonly how: 'implicit' | 'starttls';
  readonly certificate: 'server.pem' | 'self-signed.pem' | 'expired.pem';
}

const CRLF = '\r\n';

function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, '..', 'outbound', 'fixtures', name));
}

/** A mail server (RFC 5321) on a port of this machine, whose replies a test controls. */
export class SmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Every line that clients have sent. */
  readonly lines: string[] = [];
  script: Script = () => undefined;
  readonly #server: Server;
  readonly #encryption: Encryption | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, encryption: Encryption | undefined) {
    this.#server = server;
    this.#encryption = encryption;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
      this.#serve(encryption?.how === 'implicit' ? this.#secure(socket) : socket, true);
    });
  }

  static async start(encryption?: Encryption): Promise<SmtpServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SmtpServer(server, encryption);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #secure(socket: Socket): TLSSocket {
    const cert = fixture(this.#encryption?.certificate ?? 'server.pem');
    const secured = new TLSSocket(socket, { isServer: true, key: fixture('server.key'), cert });
    secured.on('error', () => undefined);
    return secured;
  }

  #serve(socket: Socket, isNew: boolean): void {
    const offersTls = this.#encryption?.how === 'starttls' && !(socket instanceof TLSSocket);
    let envelope = { from: '', to: [] as string[] };
    let data: string[] | undefined;
    let buffered = '';
    const reply = (command: Command, argument: string, usual: string): boolean => {
      const text = this.script(command, argument) ?? usual;
      if (text !== 'hang') socket.write(text + CRLF);
      return text === usual;
    };
    const accept = (lines: readonly string[]) => {
      if (reply('end of data', '', '250 2.0.0 accepted')) this.mails.push({ ...envelope, ...parseMail(lines) });
      envelope = { from: '', to: [] };
    };
    const onLine = (line: string) => {
      this.lines.push(line);
      if (data) {
        if (line !== '.') return void data.push(line.replace(/^\./, ''));
        accept(data);
        data = undefined;
        return;
      }
      const [, verb = '', argument = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
      const address = /<([^>]*)>/.exec(argument)?.[1] ?? '';
      if (verb === 'EHLO')
        reply('EHLO', argument, `250-localhost${CRLF}250-AUTH PLAIN${CRLF}${offersTls ? `250-STARTTLS${CRLF}` : ''}250 8BITMIME`);
      else if (verb === 'STARTTLS' && offersTls) {
        socket.removeAllListeners('data');
        socket.write(`220 go on${CRLF}`);
        this.#serve(this.#secure(socket), false);
      } else if (verb === 'AUTH') reply('AUTH', argument, '235 2.7.0 welcome');
      else if (verb === 'MAIL') {
        if (reply('MAIL', address, '250 2.1.0 ok')) envelope = { from: address, to: [] };
      } else if (verb === 'RCPT') {
        if (reply('RCPT', address, '250 2.1.5 ok')) envelope.to.push(address);
      } else if (verb === 'DATA') {
        if (reply('DATA', '', '354 go on')) data = [];
      } else if (verb === 'QUIT') socket.end(`221 bye${CRLF}`);
      else socket.write(`502 unknown${CRLF}`);
    };
    socket.on('data', (chunk) => {
      const lines = (buffered + chunk.toString('utf8')).split(CRLF);
      buffered = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
    if (isNew) reply('greeting', '', '220 localhost ESMTP');
  }
}

function parseMail(lines: readonly string[]): { headers: ReadonlyMap<string, string>; text: string } {
  const end = lines.indexOf('');
  const unfolded = lines
    .slice(0, end)
    .join(CRLF)
    .replaceAll(/\r\n[ \t]/g, ' ');
  const headers = new Map(
    unfolded.split(CRLF).map((line) => {
      const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
      return [name.toLowerCase(), decodeWords(value)];
    }),
  );
  const body = lines.slice(end + 1).join('\n');
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase();
  const text =
    encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : encoding === 'quoted-printable' ? unquote(body) : body;
  return { headers, text: text.replaceAll('\r\n', '\n') };
}

/** Decodes the words of RFC 2047. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?= +=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString('utf8') : unquote(word.replaceAll('_', ' ')),
    );
}

function unquote(text: string): string {
  const bytes = text
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  // Other characters are ASCII in this encoding.
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
