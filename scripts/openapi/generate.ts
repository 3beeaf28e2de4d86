import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { clientCode, clientTypes } from './client.ts';
import { DOCUMENTS, wholeApi } from './documents.ts';

export const ROOT = new URL('../..', import.meta.url);

/** Every generated file, by its path in the repository. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const documents = await describedApi();
  const whole = wholeApi(documents);
  return {
    ...Object.fromEntries(DOCUMENTS.map((name, index) => [name, `${JSON.stringify(documents[index], null, 2)}\n`])),
    'client/operations.js': clientCode(whole),
    'client/operations.d.ts': clientTypes(whole),
  };
}

/** The descriptions as the service itself gives them, on a fake network, so that the playground's routes are there as well. */
async function describedApi(): Promise<OpenApiDocument[]> {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-openapi-'));
  try {
    const settings = { DATA_DIR: folder, DATABASE_URL: `sqlite:${folder}/satchel.db`, LIGHTNING_URL: 'fake:', LOG_LEVEL: 'silent' };
    const { server, close } = await startSatchel(readConfig(settings));
    try {
      const read = async (name: string) => (await server.inject(`/${name}`)).json<OpenApiDocument>();
      return await Promise.all(DOCUMENTS.map(read));
    } finally {
      await close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
