import assert from 'node:assert/strict';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { prepareIndices } from '../../src/stores/elasticsearch/index-schema.ts';
import {
  makeLogSegment,
  openSegments,
  removeSegment,
} from '../../src/stores/elasticsearch/segments/segment-indices.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';

/** On which the protocol rests: docs/internals/elasticsearch.md, "Log segments". */
describe('what Elasticsearch does with the name of a segment of the log that was removed', () => {
  const server = useElasticsearch();
  const COMMIT = { uuid: 'a', after: '', stamp: 2 };
  let names: IndexNames;
  let cluster: Cluster;

  const ask = async (method: string, path: string, body: object = COMMIT) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { readonly error?: { readonly type: string; readonly reason: string } };
    return { status: response.status, type: answer.error?.type, reason: answer.error?.reason ?? '' };
  };
  const create = (number: number, segment = 1) =>
    ask('PUT', `/${names.logSegment(segment)}/_create/${number}?require_alias=true`);

  beforeEach(async () => {
    names = new IndexNames(uniquePrefix());
    cluster = new Cluster({ nodes: [server.url] });
    await prepareIndices(cluster, names);
    await makeLogSegment(cluster, names, 2);
    assert.equal((await create(1)).status, 201);
    assert.equal((await create(1)).status, 409);
    const [first] = await openSegments(cluster, names);
    await removeSegment(cluster, names, first!);
  });
  afterEach(async () => {
    await cluster.close();
    await removeIndices(server.url, names.prefix);
  });

  it('refuses a late commit into it, and takes one into the segment after it', async () => {
    const { status, type } = await create(1);
    assert.deepEqual([status, type], [404, 'index_not_found_exception']);
    assert.equal((await create(2, 2)).status, 201);
  });

  it('does not create it a second time', async () => {
    await assert.rejects(makeLogSegment(cluster, names, 1), { message: /already exists as alias/ });
    const { status, type } = await ask('PUT', `/${names.logIndex(1)}`, {});
    assert.deepEqual([status, type], [400, 'invalid_index_name_exception']);
  });

  it('takes no document under its name', async () => {
    const { status, reason } = await ask('PUT', `/${names.logIndex(1)}/_create/2`);
    assert.equal(status, 400);
    assert.match(reason, /no write index is defined/);
  });

  it('takes no document under the name of all segments', async () => {
    await makeLogSegment(cluster, names, 3);
    const { status, reason } = await ask('PUT', `/${names.log}/_create/2?require_alias=true`);
    assert.equal(status, 400);
    assert.match(reason, /no write index is defined/);
  });

  it('does not remove it a second time, and removes no other one', async () => {
    await removeSegment(cluster, names, { number: 1, index: names.logIndex(1) });
    const open = await openSegments(cluster, names);
    assert.deepEqual(
      open.map(({ number }) => number),
      [2],
    );
  });
});
