import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../kernel/log.ts';
import { NodeUnavailable } from '../node.ts';
import { certificatePem, type LndAddress, type Secret } from './url.ts';

export type LndCredentials = Awaited<ReturnType<typeof readCredentials>>;

/** Reads the certificate to trust as PEM, and the macaroon in hex. @throws NodeUnavailable when a file cannot be read. */
export async function readCredentials({ certificate, macaroon }: LndAddress) {
  const ca = certificate && certificateOf(await bytesOf('certificate', certificate));
  return { ca, macaroon: (await bytesOf('macaroon', macaroon)).toString('hex') };
}

/** @throws NodeUnavailable for another file, such as tls.key, with which Node would report a wrong certificate of the node. */
function certificateOf(bytes: Buffer): string {
  const pem = certificatePem(bytes);
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new NodeUnavailable('the parameter cert of LIGHTNING_URL is not a certificate: use the tls.cert of the node');
  }
}

async function bytesOf(name: string, secret: Secret): Promise<Buffer> {
  if ('bytes' in secret) return secret.bytes;
  try {
    const bytes = await readFile(secret.file);
    if (bytes.length > 0) return bytes;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = code === 'ENOENT' ? ': correct its path in LIGHTNING_URL' : ': let the user of this service read it';
    throw new NodeUnavailable(`the ${name} of LND, ${secret.file}, cannot be read (${code ?? errorMessage(error)})${remedy}`);
  }
  throw new NodeUnavailable(`the ${name} of LND, ${secret.file}, is empty`);
}
