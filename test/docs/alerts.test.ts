import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALERT_KINDS } from '../../src/core/alerts/alert-kinds.ts';

it('has one row in the table of alerts for every kind, and no other rows', () => {
  const text = readFileSync(new URL('../../docs/monitoring.md', import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith('Alerts\n')) ?? '';
  const rows = Array.from(section.matchAll(/^(`[^|]*) \|/gm), ([, cell = '']) => cell);
  const listed = rows.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, kind]) => kind));
  expect(listed.sort()).toEqual(Object.keys(ALERT_KINDS).sort());
});
