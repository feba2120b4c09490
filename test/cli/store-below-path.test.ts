import assert from 'node:assert/strict';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { Workplace } from '../support/workplace.ts';

describe('a store on an Elasticsearch below a path', () => {
  const server = useElasticsearch();
  let place: Workplace;
  let proxy: FaultProxy;

  beforeEach(async () => {
    place = await Workplace.make(onElasticsearch(server), { mayBeMade: true });
    proxy = await FaultProxy.start(server.url, '/search/es');
  });

  afterEach(async () => {
    await place.close();
    await proxy.close();
  });

  it('gets every request below the path, those of changes, too', async () => {
    const { url } = proxy;
    const event = JSON.stringify({ location: { value: 'a', type: 'rel_path' }, change: 'created', length: 1 });

    await done(url, 'sets add maps --url-prefix https://example.org/maps/');
    const posted = await done(`${url}/`, 'changes post maps', event);
    const listed = await done(url, 'changes list maps --json');
    const status = await done(url.replace('//', '//user:secret@'), 'status --json');

    assert.match(posted, /1 applied/);
    assert.equal(JSON.parse(listed).location.value, 'a');
    assert.equal(JSON.parse(status).store, `${url} (indices ${place.store.environment.TIDEMARK_INDEX_PREFIX}-*)`);
    assert.ok(proxy.asked.some(({ path }) => path.startsWith('/search/es/_bulk')));
    assert.deepEqual(
      proxy.asked.filter(({ path }) => !path.startsWith('/search/es/')),
      [],
    );
  });

  async function done(TIDEMARK_STORE: string, args: string, input = ''): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(args.split(' '), { env: { TIDEMARK_STORE }, input });
    assert.equal(exitCode, 0, stdout + stderr);
    return stdout;
  }
});
