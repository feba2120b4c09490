import assert from 'node:assert/strict';

/** A sample of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape returned. */
export interface Scrape {
  /** By metric: counter, gauge, histogram or summary. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|Nan|[+-]Inf|[+-]?[0-9.]+(?:e[+-]?[0-9]+)?)(?: [0-9]+)?$`);

/** Reads the text format of Prometheus 0.0.4 strictly; whatever is not in it fails. */
export function parseExposition(text: string): Scrape {
  assert.ok(text.endsWith('\n'), 'the last line ends with a newline');
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  const explained = new Set<string>();
  const series = new Set<string>();
  for (const line of text.split('\n').slice(0, -1)) {
    if (line === '') continue;
    // Any other line that begins so is a comment.
    if (line.startsWith('#') && !/^# (HELP|TYPE) /.test(line)) continue;
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (word === 'HELP') {
      assert.ok(!explained.has(name), `${name} is explained once`);
      explained.add(name);
    } else if (word === 'TYPE') {
      assert.match(rest, /^(?:counter|gauge|histogram|summary|untyped)$/, line);
      assert.ok(!types.has(name), `${name} has one type`);
      types.set(name, rest);
    } else {
      const sample = parseSample(line);
      const id = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      assert.ok(!series.has(id), `listed twice: ${line}`);
      series.add(id);
      assert.ok(types.has(metricOf(sample.name, types)), `has a type: ${line}`);
      samples.push(sample);
    }
  }
  for (const name of types.keys()) assert.ok(explained.has(name), `${name} is explained`);
  return { types, samples };
}

/** The metric that a sample belongs to: a histogram's have endings of their own. */
export function metricOf(name: string, types: ReadonlyMap<string, string>): string {
  const [, base = name] = /^(.*)_(?:bucket|sum|count)$/.exec(name) ?? [];
  return ['histogram', 'summary'].includes(types.get(base) ?? '') ? base : name;
}

/** The sum of the samples with a name and these labels. */
export function sampleOf({ samples }: Scrape, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const fits = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  const found = samples.filter(fits);
  assert.ok(found.length > 0, `there is no ${name} ${JSON.stringify(labels)}`);
  return found.reduce((sum, { value }) => sum + value, 0);
}

function parseSample(line: string): Sample {
  const match = SAMPLE.exec(line);
  assert.ok(match !== null, `is a sample: ${line}`);
  const [, name = '', labels = '', value = ''] = match;
  return { name, labels: parseLabels(labels), value: Number(value.replace('Inf', 'Infinity')) };
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex;
    const match = LABEL.exec(text);
    assert.ok(match !== null, `are labels: ${text.slice(at)}`);
    labels[match[1]!] = match[2]!;
  }
  return labels;
}
