import { join } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import type { DatasetRows } from '../../config/dataset-values.ts';
import type { ResultSink, SinkName } from './result-sink.ts';

type SinkSettings = Pick<Configuration, 'dataFolder' | 'datasetRows' | 'datasetKafka' | 'datasetKafkaEnvironment'>;

/** The sinks of the settings. */
export function sinksOf({ datasetRows, datasetKafka }: SinkSettings): readonly SinkName[] {
  return [
    ...(datasetRows?.kind === 'none' ? [] : ['rows' as const]),
    ...(datasetKafka.length > 0 ? ['kafka' as const] : []),
  ];
}

/** What the settings name as the target of a sink: another one gets all results from the first on. */
export function targetOf(name: SinkName, settings: SinkSettings): string {
  if (name === 'kafka') {
    const brokers = settings.datasetKafka.map(({ host, port }) => `${host}:${port}`);
    return `${settings.datasetKafkaEnvironment} ${brokers.toSorted().join()}`;
  }
  const rows = rowsOf(settings);
  return rows.kind === 'sqlite' ? `sqlite:${rows.file}` : rows.url;
}

/** Opens a sink of the settings, and loads its client. @throws TidemarkError `unavailable` with the detail `sink` */
export async function openSink(name: SinkName, settings: SinkSettings): Promise<ResultSink> {
  if (name === 'kafka') {
    const { openKafkaResults } = await import('./kafka-results.ts');
    return openKafkaResults({ brokers: settings.datasetKafka, environment: settings.datasetKafkaEnvironment });
  }
  const rows = rowsOf(settings);
  if (rows.kind === 'sqlite') return (await import('./sqlite-rows.ts')).openSqliteRows(rows.file);
  return (await import('./postgresql-rows.ts')).openPostgresqlRows(rows.url);
}

function rowsOf({ datasetRows, dataFolder }: SinkSettings): Exclude<DatasetRows, { readonly kind: 'none' }> {
  if (datasetRows === undefined || datasetRows.kind === 'none') {
    return { kind: 'sqlite', file: join(dataFolder, 'datasets.db') };
  }
  return datasetRows;
}
