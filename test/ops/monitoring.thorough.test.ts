import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

const root = join(import.meta.dirname, '..', '..');
const prometheus = join(root, 'ops', 'prometheus');
const rules = readFileSync(join(prometheus, 'alerts.yml'), 'utf8');
const monitoring = readFileSync(join(root, 'docs', 'monitoring.md'), 'utf8');

/** Returns the names of metrics in a text of queries. */
function metricsIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:satchel|nodejs|process)_\w+/g))];
}

const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: prometheus, encoding: 'utf8' });
const hasPromtool = promtool('--version').error === undefined;

onFakeNode('monitoring', ({ client }) => {
  it('reads only metrics that exist, in the boards, the rules and the document', async () => {
    const { text } = await client.request('GET', '/metrics');
    const exposed = new Set<string>();
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm))
      for (const suffix of type === 'histogram' ? ['', '_bucket', '_sum', '_count'] : ['']) exposed.add(name + suffix);
    const boards = globSync('ops/grafana/*.json', { cwd: root });
    expect(boards).toHaveLength(3);
    for (const file of [...boards, 'ops/prometheus/alerts.yml', 'docs/monitoring.md']) {
      const named = metricsIn(readFileSync(join(root, file), 'utf8'));
      expect(named.length, file).toBeGreaterThan(3);
      expect(
        named.filter((name) => !exposed.has(name)),
        file,
      ).toEqual([]);
    }
  });

  it('documents every metric of the service', async () => {
    const { text } = await client.request('GET', '/metrics');
    const names = Array.from(text.matchAll(/^# TYPE (satchel_\w+)/gm), ([, name = '']) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !metricsIn(monitoring).includes(name))).toEqual([]);
  });
});

it('names in each alert a paragraph of a document', () => {
  const anchorsOf = (page: string) =>
    Array.from(readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
  const alerts = rules.split('- alert: ').slice(1);
  expect(alerts.length).toBeGreaterThan(10);
  for (const alert of alerts) {
    const [, page = '', anchor = ''] = /runbook: (docs\/[a-z]+\.md)#(\S+)/.exec(alert) ?? [];
    expect(anchorsOf(page), alert).toContain(anchor);
  }
});

it('has a test that fires and one that does not for each alert', () => {
  const names = Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name = '']) => name);
  const tests = readFileSync(join(prometheus, 'alerts.test.yml'), 'utf8');
  for (const name of names) for (const kind of ['fires', 'is silent']) expect(tests).toContain(`- name: '${name} ${kind}'`);
});

it.skipIf(!hasPromtool)('has rules that promtool accepts, and that fire when they should (needs promtool of Prometheus)', () => {
  for (const args of [
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = promtool(...args);
    expect(status, stdout + stderr).toBe(0);
  }
});
