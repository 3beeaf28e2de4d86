import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALERT_KINDS } from '../../src/alerts/alert-kinds.ts';

it('the table of alerts has a row for every kind, and for no other', () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith('Alerts\n')) ?? '';
  const rows = Array.from(section.matchAll(/^\| (`[^|]*) \|/gm), ([, cell = '']) => cell);
  const listed = rows.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, kind]) => kind));
  expect(listed.sort()).toEqual(Object.keys(ALERT_KINDS).sort());
});
