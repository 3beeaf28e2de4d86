import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { InvalidConfig } from '../../src/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'satchel-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  return path;
}

it('reads a secret setting from the file that <setting>_FILE names', () => {
  expect(readConfig({ METRICS_TOKEN_FILE: fileOf('a-token-of-a-file\n') }).metricsToken).toBe('a-token-of-a-file');
  expect(readConfig({ DATABASE_URL_FILE: fileOf('postgres://user:password@host/database') }).databaseUrl).toMatch(/^postgres:/);
  expect(readConfig({ LIGHTNING_URL_FILE: fileOf('fake:?seed=1') }).lightningUrls).toEqual(['fake:?seed=1']);
  expect(readConfig({ SECRET_KEY_FILE: fileOf('ab'.repeat(32)) }).secretKey).toHaveLength(32);
});

it('rejects a file that is missing or empty, and a setting that is given twice, without showing the secret', () => {
  const rejected = (env: Record<string, string>) => {
    expect(() => readConfig(env)).toThrow(InvalidConfig);
    return expect(() => readConfig(env));
  };
  rejected({ METRICS_TOKEN_FILE: join(folder, 'none') }).toThrow(
    'METRICS_TOKEN_FILE must be the path of a file that this user can read (ENOENT).',
  );
  rejected({ METRICS_TOKEN_FILE: fileOf(' \n') }).toThrow('METRICS_TOKEN_FILE must be the path of a file that is not empty.');
  rejected({ METRICS_TOKEN: 'x'.repeat(16), METRICS_TOKEN_FILE: fileOf('y'.repeat(16)) }).toThrow(
    /^Only one of METRICS_TOKEN and METRICS_TOKEN_FILE may be set\.$/,
  );
  rejected({ METRICS_TOKEN_FILE: fileOf('short') }).toThrow(/^METRICS_TOKEN must be 16 to 200 characters without spaces\.$/);
});
