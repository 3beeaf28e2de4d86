import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reportRune } from '../../../src/core/lightning/cln/permissions.ts';
import { METHODS } from '../../../src/core/lightning/cln/rpc.ts';

// Runes of a regtest node of Core Lightning 26.06 that no longer exists.
const TWO_METHODS = 'SG6qw6yv9VnOz6kyB2XgHz6UHpmJ6QQ75-As0_3Zjgc9MCZtZXRob2Q9Z2V0aW5mb3xtZXRob2Q9aW52b2ljZSZyYXRlPTYw';
const UNRESTRICTED = '16zn7hMWkW4TmLOOspbt1VScWXZ4MMK0-8cOs6aM3yo9MQ==';

const runeOf = (restrictions: string) => Buffer.concat([Buffer.alloc(32, 7), Buffer.from(restrictions)]).toString('base64url');

describe('the methods that a rune permits', () => {
  it('are created by the documented command', () => {
    const page = readFileSync(new URL('../../../docs/lightning/core-lightning.md', import.meta.url), 'utf8');
    expect(page).toContain(reportRune(UNRESTRICTED).command);
  });

  it('are exactly what the service calls in one that the printed command makes', () => {
    const { command } = reportRune(UNRESTRICTED);
    const [, json = ''] = /^lightning-cli createrune restrictions='(.*)'$/.exec(command) ?? [];
    const [alternatives]: string[][] = JSON.parse(json);
    expect(reportRune(runeOf(`=5&${alternatives?.join('|')}`))).toMatchObject({ missing: [], excessive: [] });
  });

  it('lack those that are not in its restriction', () => {
    const { missing, excessive } = reportRune(TWO_METHODS);
    expect(missing).toEqual(METHODS.filter((method) => method !== 'getinfo' && method !== 'invoice'));
    expect(excessive).toEqual([]);
  });

  it('are more than needed if it also permits others, or has no restriction of methods', () => {
    const all = METHODS.map((method) => `method=${method}`).join('|');
    expect(reportRune(runeOf(`=5&${all}|method=withdraw`)).excessive).toEqual(['call withdraw']);
    for (const rune of [UNRESTRICTED, runeOf('=5&rate=60')])
      expect(reportRune(rune).excessive).toEqual([expect.stringContaining('every method')]);
  });
});
