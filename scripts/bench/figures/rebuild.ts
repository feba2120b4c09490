import { rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { filledSource } from '../support/filled-source.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { runMeasured } from '../support/run-measured.ts';
import { Tidemark } from '../support/tidemark.ts';

interface Measured {
  /** Changes a second. */
  readonly rates: number[];
  /** MB. */
  readonly memory: number[];
}

export const rebuild: Bench = {
  name: 'rebuild',
  about: 'archiving a log of 1,000,000 changes, and making stores of it again, until they are compared',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure(options: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const { runs, scale, folder, log } = options;
  const count = Math.round(1_000_000 * scale);
  const source = await filledSource(options, { resources: count });
  const artifacts = folder.next('artifacts');
  const [archiving, sqlite, elasticsearch] = [nothing(), nothing(), nothing()];
  for (let run = 1; run <= runs; run++) {
    await take(archiving, count, source, ['archive', '--anew', '--artifacts', `file:${artifacts}`]);
    const { archive } = archiving.last;
    const from = ['rebuild', '--from', archive, '--artifacts', `file:${artifacts}`];
    const made = await Tidemark.create(folder.next('data'));
    await take(sqlite, count, made, from);
    rmSync(made.dataFolder, { recursive: true });
    const prefix = server.nextPrefix();
    await take(elasticsearch, count, await server.tidemark(prefix), from);
    await server.remove(prefix);
    const rates = [archiving, sqlite, elasticsearch].map((each) => Math.round(each.rates.at(-1)!));
    log(`${run}: archived ${rates[0]}/s, rebuilt on SQLite ${rates[1]}/s, on Elasticsearch ${rates[2]}/s`);
  }
  const changes = count.toLocaleString('en');
  return [
    ...figures(`archiving ${changes} changes from SQLite`, archiving),
    ...figures(`rebuilding ${changes} changes on SQLite`, sqlite),
    ...figures(`rebuilding ${changes} changes on Elasticsearch`, elasticsearch),
  ];
}

function nothing(): Measured & { last: { archive: string } } {
  return { rates: [], memory: [], last: { archive: '' } };
}

async function take(
  measured: ReturnType<typeof nothing>,
  count: number,
  tidemark: Tidemark,
  args: readonly string[],
): Promise<void> {
  const { stdout, seconds, memory } = await runMeasured(tidemark, args);
  measured.rates.push(count / seconds);
  measured.memory.push(memory);
  measured.last = JSON.parse(stdout);
}

function figures(name: string, { rates, memory }: Measured): readonly Figure[] {
  return [
    { name, unit: 'changes/s', ours: rates },
    { name: '… peak memory of tidemark', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}
