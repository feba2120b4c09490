import assert from 'node:assert/strict';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { commitContract } from '../contract/commits.ts';
import { storesContract } from '../contract/stores.ts';
import { type OwnElasticsearch, startOwnElasticsearch } from '../support/elasticsearch.ts';
import { uniquePrefix } from '../support/elasticsearch-indices.ts';
import {
  closeElasticsearchSources,
  type ElasticsearchAccess,
  ElasticsearchSource,
} from '../support/elasticsearch-source.ts';
import { PatientRequests, untilServed } from '../support/fault-clients.ts';
import { requireNothingLost } from '../support/nothing-lost.ts';
import {
  asOwner,
  documentedRole,
  makeAccess,
  makeOwnCertificate,
  securedOptions,
} from '../support/secured-elasticsearch.ts';

/** Of all indices of these tests. */
const PREFIX = 'tidemark-test';
const WITHOUT = {
  manage_index_templates: /index_template/,
  monitor: /cluster:monitor/,
  manage: /indices:admin/,
  write: /indices:data\/write/,
};

describe('Elasticsearch 9 with TLS and an API key of the documented privileges', function () {
  this.timeout(600_000);
  const closers: (() => Promise<void>)[] = [];
  let own: OwnElasticsearch['elasticsearch'];
  let owner: Cluster;
  let access: ElasticsearchAccess;

  before(async () => {
    const { certificate, remove } = await makeOwnCertificate();
    closers.push(remove);
    const { elasticsearch, dispose } = await startOwnElasticsearch(securedOptions(certificate));
    closers.push(dispose);
    own = elasticsearch;
    const servers = asOwner(own.urls, certificate.caFile);
    owner = new Cluster(servers);
    closers.push(() => owner.close());
    access = await makeAccess(servers, documentedRole(PREFIX));
  });
  after(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterEach(closeElasticsearchSources);

  const locationOf = (prefix: string, { apiKey, caFile } = access) => ({
    kind: 'elasticsearch' as const,
    nodes: own.urls,
    caFile,
    authorization: `ApiKey ${apiKey}`,
    prefix,
  });

  async function removeIndices(prefix: string): Promise<void> {
    const found = await owner.ask((client) => client.indices.get({ index: `${prefix}*`, features: ['aliases'] }));
    const index = Object.keys(found);
    if (index.length > 0) await owner.ask((client) => client.indices.delete({ index }));
  }

  describe('keeps every promise of a store:', () => {
    const start = async () => {
      const prefix = uniquePrefix();
      return { open: () => openStores(locationOf(prefix)), dispose: () => removeIndices(prefix) };
    };
    storesContract(start);
    describe('the committer', () => commitContract(start));
  });

  it('is served by the real program, and restarted while clients post', async () => {
    const source = await ElasticsearchSource.makeWithPages(own.url, access);
    const servers = await Promise.all([source.serve(), source.serve()]);
    const clients = [1, 2].map((number) => new PatientRequests(number));
    const stop = new AbortController();
    const posting = Promise.all(clients.map((client, at) => client.post(servers[at]!.url, stop.signal)));
    await untilServed('everybody posts', clients, posting);
    await own.kill();
    await own.start();
    await untilServed('everybody goes on', clients, posting);
    stop.abort();
    await posting;
    await requireNothingLost(source, { clients, servers });
    for (const command of [
      ['migrate'],
      ['status'],
      ['verify', 'maps'],
      ['sets', 'list'],
      ['sets', 'remove', 'maps', '--confirm'],
    ]) {
      const { exitCode, stderr } = await source.run(command);
      assert.equal(exitCode, 0, `${command.join(' ')}: ${stderr}`);
    }
  });

  for (const [privilege, action] of Object.entries(WITHOUT)) {
    it(`is refused with a key without ${privilege}, naming what is missing`, async () => {
      const role = documentedRole(PREFIX);
      const less = (privileges: readonly string[]) => privileges.filter((name) => name !== privilege);
      const [indices] = role.indices!;
      const lesser = {
        cluster: less(role.cluster as string[]),
        indices: [{ ...indices!, privileges: less(indices!.privileges as string[]) }],
      };
      const { apiKey } = await makeAccess(asOwner(own.urls, access.caFile), lesser as typeof role);
      const location = locationOf(uniquePrefix(), { ...access, apiKey });
      await assert.rejects(
        async () => {
          const stores = await openStores(location);
          try {
            await stores.catalog.put('source', 'source', {}, undefined);
          } finally {
            await stores.close();
          }
        },
        (error: Error) => /lacks a privilege for this account/.test(error.message) && action.test(error.message),
      );
    });
  }
});
