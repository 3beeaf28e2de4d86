import { readFile } from 'node:fs/promises';
import { errorMessage, type Log } from '../../kernel/log.ts';
import { NodeUnavailable } from '../node.ts';
import { certificatePem, type LndAddress, type Secret } from './url.ts';

/** What a connection needs: the certificate to trust and the macaroon in hex. */
export interface LndCredentials {
  readonly ca: string | undefined;
  readonly macaroon: string;
}

/** Files are read again after this time, because LND renews its certificate and operators replace macaroons. */
const MAX_AGE_MS = 1000;

/** Reads the certificate and the macaroon of an address. */
export class CredentialReader {
  readonly #address: LndAddress;
  readonly #log: Log;
  #latest: { readonly credentials: Promise<LndCredentials>; readonly atMs: number } | undefined;
  #hasWarned = false;

  constructor(address: LndAddress, log: Log) {
    this.#address = address;
    this.#log = log;
  }

  /** @throws NodeUnavailable when a file cannot be read. */
  read(): Promise<LndCredentials> {
    const nowMs = performance.now();
    if (!this.#latest || nowMs - this.#latest.atMs > MAX_AGE_MS) this.#latest = { credentials: this.#read(), atMs: nowMs };
    return this.#latest.credentials;
  }

  async #read(): Promise<LndCredentials> {
    const { certificate, macaroon } = this.#address;
    const ca = certificate && certificatePem(await bytesOf('certificate', certificate));
    const bytes = await bytesOf('macaroon', macaroon);
    this.#warnOfPower(bytes);
    return { ca, macaroon: bytes.toString('hex') };
  }

  /** The identifier of a macaroon contains its permissions as text. */
  #warnOfPower(macaroon: Buffer): void {
    if (this.#hasWarned || !macaroon.includes('onchain')) return;
    this.#hasWarned = true;
    this.#log.warn(
      {},
      'the macaroon in LIGHTNING_URL also permits on-chain payments, as admin.macaroon does. Replace it: npm run node-check prints the command',
    );
  }
}

async function bytesOf(name: string, secret: Secret): Promise<Buffer> {
  if ('bytes' in secret) return secret.bytes;
  try {
    const bytes = await readFile(secret.file);
    if (bytes.length > 0) return bytes;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NodeUnavailable(`the ${name} of LND, ${secret.file}, cannot be read (${code ?? errorMessage(error)})`);
  }
  throw new NodeUnavailable(`the ${name} of LND, ${secret.file}, is empty`);
}
