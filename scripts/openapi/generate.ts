import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { clientCode, clientTypes } from './client.ts';

export const ROOT = new URL('../..', import.meta.url);

/** Every generated file, by its path in the repository. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const document = await describedApi();
  return {
    'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'client/operations.js': clientCode(document),
    'client/operations.d.ts': clientTypes(document),
  };
}

/** The description as the service itself gives it, on a fake network, so that the playground's routes are there as well. */
async function describedApi(): Promise<OpenApiDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-openapi-'));
  try {
    const settings = { DATA_DIR: folder, DATABASE_URL: `sqlite:${folder}/satchel.db`, LIGHTNING_URL: 'fake:', LOG_LEVEL: 'silent' };
    const { server, close } = await startSatchel(readConfig(settings));
    try {
      return (await server.inject('/openapi.json')).json<OpenApiDocument>();
    } finally {
      await close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
