import assert from 'node:assert/strict';
import { sinksOf, targetOf } from '../../../src/datasets/sinks/open-sinks.ts';

const SETTINGS = { dataFolder: '/data', datasetRows: undefined, datasetKafka: [], datasetKafkaEnvironment: 'prod' };
const broker = (host: string) => ({ host, port: 9092 });

describe('the sinks of results', () => {
  it('are a table in the data folder, unless another one or none is named; and Kafka where it is (d8)', () => {
    const sinks = (more: Partial<Parameters<typeof targetOf>[1]>) => {
      const settings = { ...SETTINGS, ...more };
      return sinksOf(settings).map((name) => [name, targetOf(name, settings)]);
    };
    assert.deepEqual(sinks({}), [['rows', 'sqlite:/data/datasets.db']]);
    assert.deepEqual(sinks({ datasetRows: { kind: 'none' } }), []);
    const url = 'postgresql://db.example.org/sandcrawler';
    assert.deepEqual(sinks({ datasetRows: { kind: 'postgresql', url }, datasetKafka: [broker('b'), broker('a')] }), [
      ['rows', url],
      ['kafka', 'prod a:9092,b:9092'],
    ]);
  });
});
