import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { metricsReference } from '../../../src/observe/metrics/reference.ts';

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

interface AlertRules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

describe('docs/monitoring.md', () => {
  const page = read('docs/monitoring.md');

  it('has the table of metrics that the code has', () => {
    assert.ok(page.includes(metricsReference()), `replace the table by this one:\n\n${metricsReference()}`);
  });

  it('describes each alert that there is, and of no other', () => {
    const { groups } = parse(read('ops/prometheus/alerts.yml')) as AlertRules;
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const listed = [...page.matchAll(/^\| `(Tidemark\w+)`/gm)].map(([, alert]) => alert);
    assert.deepEqual(listed.toSorted(), alerts.toSorted());
    assert.ok(alerts.length > 5);
  });
});

describe('The metrics', () => {
  const rows = metricsReference().split('\n').slice(2);

  it('are named as Prometheus asks for: by their unit, and counters by _total', () => {
    for (const row of rows) {
      const [, name = '', type = ''] = /^\| `(\w+)` \| (\w+) \|/.exec(row) ?? [];
      assert.match(name, /^tidemark_[a-z]+(?:_[a-z]+)*$/);
      assert.equal(name.endsWith('_total'), type === 'counter', name);
      if (type === 'histogram') assert.match(name, /_(?:seconds|events|bytes)$/);
    }
    assert.ok(rows.length > 20);
  });

  it('are explained in words', () => {
    for (const row of rows) assert.match(row, /\| [A-Z][^|]{15,}\. ?[^|]*\|$/, row);
  });
});
