import assert from 'node:assert/strict';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';

/** On which the plan rests: docs/internals/elasticsearch.md, "Log segments (planned)". */
describe('what Elasticsearch does with the name of a segment of the log that was removed', () => {
  const server = useElasticsearch();
  let prefix: string;
  let segment: string;

  const ask = async (method: string, path: string, body: object = {}) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { readonly error?: { readonly type: string; readonly reason: string } };
    return { status: response.status, type: answer.error?.type, reason: answer.error?.reason ?? '' };
  };
  const create = (number: number) => ask('PUT', `/${segment}-open/_create/${number}?require_alias=true`);
  const makeSegment = () => ask('PUT', `/${segment}`, { aliases: { [`${segment}-open`]: {} } });
  const remove = () =>
    ask('POST', '/_aliases', {
      actions: [
        { remove_index: { index: segment } },
        { add: { index: `${prefix}-ledgers-000001`, alias: segment, is_write_index: false } },
      ],
    });

  beforeEach(async () => {
    prefix = uniquePrefix();
    segment = `${prefix}-log-000001`;
    await ask('PUT', `/${prefix}-ledgers-000001`);
    assert.equal((await makeSegment()).status, 200);
    assert.equal((await create(1)).status, 201);
    assert.equal((await create(1)).status, 409);
    assert.equal((await remove()).status, 200);
  });
  afterEach(() => removeIndices(server.url, prefix));

  it('refuses a late commit into it', async () => {
    const { status, type } = await create(1);
    assert.deepEqual([status, type], [404, 'index_not_found_exception']);
  });

  it('does not create it a second time', async () => {
    const { status, type, reason } = await makeSegment();
    assert.deepEqual([status, type], [400, 'invalid_index_name_exception']);
    assert.match(reason, /already exists as alias/);
  });

  it('takes no document under its name', async () => {
    const { status, reason } = await ask('PUT', `/${segment}/_create/2`);
    assert.equal(status, 400);
    assert.match(reason, /no write index is defined/);
  });

  it('does not remove it a second time', async () => {
    assert.equal((await remove()).status, 400);
  });
});
