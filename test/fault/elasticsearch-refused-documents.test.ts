import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ask, askJson } from '../support/ask.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { addSet, LIMITS_OF_PAGES } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

const { settings, mappings } = JSON.parse(
  readFileSync(new URL('../../mappings/resources.json', import.meta.url), 'utf8'),
);
const OTHER_MAPPINGS = { ...mappings, properties: { ...mappings.properties, length: { type: 'byte' } } };
const INDEX = /did not take a document into \S+-resources-000001: document_parsing_exception/;
/** Not the resource: its set may be private. */
const SHOWN =
  / \(…\): commit \d+ and those after it are not published until it does; see "Documents that Elasticsearch refuses"/;
const RESOURCE = / \(bad of maps: .*failed to parse field \[length\] of type \[byte\].*Preview.*'1000'\): commit/;

interface Found {
  readonly hits: { readonly hits: readonly { _id: string; _version: number; _source: object }[] };
}

describe('a document that Elasticsearch refuses, because an index has another mapping', () => {
  const elasticsearch = useElasticsearch();
  afterEach(closeElasticsearchSources);

  it('is named by all that waits for it, and published when the index was replaced as docs/protocol.md says', async () => {
    const source = await ElasticsearchSource.makeEmpty(elasticsearch.url);
    const request = (method: string, path: string, body?: object) =>
      askElasticsearch(elasticsearch.url, method, path, body);
    const [index, next] = [1, 2].map((number) => `${source.prefix}-resources-00000${number}`);
    const aliases = [`${source.prefix}-resources`, source.prefix];
    const aliased = Object.fromEntries(aliases.map((alias) => [alias, {}]));
    await request('PUT', index!, { settings, mappings: OTHER_MAPPINGS, aliases: aliased });
    await addSet(await source.open(), LIMITS_OF_PAGES);
    const { url } = await source.serveHere();
    const post = async (value: string, length: number) => {
      const changes = [{ location: { value, type: 'rel_path' }, change: 'created', length }];
      assert.equal((await askJson(`${url}/api/sets/maps/changes`, { changes })).body.applied, 1);
    };
    await post('good', 10);
    await post('bad', 1_000);
    await post('later', 10);

    const ready = await askJson(`${url}/readyz`);
    assert.equal(ready.status, 503);
    for (const said of [INDEX, SHOWN]) assert.match(ready.body.error.message, said);
    const status = await source.run(['status']);
    assert.equal(status.exitCode, 3);
    for (const said of [INDEX, RESOURCE]) assert.match(status.stderr, said);

    await request('PUT', next!, { settings, mappings });
    // As _reindex does, which the Elasticsearch of the tests has not.
    await request('POST', `${index}/_refresh`);
    const { hits } = (await request('GET', `${index}/_search?version=true&size=100`)) as unknown as Found;
    const copied = hits.hits.flatMap(({ _id, _version: version, _source }) => [
      { index: { _index: next, _id, version, version_type: 'external' } },
      _source,
    ]);
    await request('POST', '_bulk', copied);
    const added = aliases.map((alias) => ({ add: { index: next, alias } }));
    await request('POST', '_aliases', { actions: [...added, { remove_index: { index } }] });
    await until('it is ready', async () => (await ask(`${url}/readyz`)).status === 200);
    const { text } = await ask(`${url}/sets/maps/resourcelist.xml`);
    assert.deepEqual(
      [...text.matchAll(/set\/(\w+)</g)].map(([, name]) => name),
      ['bad', 'good', 'later'],
    );
    assert.equal((await source.run(['verify', 'maps'])).exitCode, 0);
  });
});
