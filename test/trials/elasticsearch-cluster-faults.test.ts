import { randomInt } from 'node:crypto';
import { loseNothingUnderFaults } from '../support/cluster-fault-run.ts';
import { randomFaults } from '../support/cluster-faults.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { useNetworkedElasticsearch } from '../support/networked-elasticsearch.ts';
import {
  asOwner,
  documentedRole,
  makeAccess,
  makeOwnCertificate,
  securedOptions,
} from '../support/secured-elasticsearch.ts';

/** `TEST_FAULTS=100 TEST_SEED=7 mocha …` runs others. */
const FAULTS = Number(process.env.TEST_FAULTS ?? 30);
const SECURED_FAULTS = Math.ceil(FAULTS / 5);
const SEED = Number(process.env.TEST_SEED ?? randomInt(1, 1_000_000));
/** Milliseconds: a fault takes up to 40 seconds, and a node as long to start. */
const TIMEOUT_MS = 600_000 + FAULTS * 120_000;

describe('a cluster of three nodes on a network that fails', function () {
  this.timeout(TIMEOUT_MS);
  const networked = useNetworkedElasticsearch();
  afterEach(closeElasticsearchSources);

  it(`loses nothing that was acknowledged, and answers in time, under ${FAULTS} faults (TEST_SEED=${SEED})`, async () => {
    const { elasticsearch } = networked;
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const faults = randomFaults(SEED, FAULTS, elasticsearch.nodes.length);
    await loseNothingUnderFaults({ ...networked.cluster, source, faults });
  });
});

describe('a cluster of three nodes of Elasticsearch 9 with TLS and API keys, on a network that fails', function () {
  this.timeout(TIMEOUT_MS);
  let own: Awaited<ReturnType<typeof makeOwnCertificate>> | undefined;
  const networked = useNetworkedElasticsearch(async ({ hosts }) => {
    own = await makeOwnCertificate(hosts.map(({ address }) => address));
    return securedOptions(own.certificate);
  });
  after(() => own?.remove());
  afterEach(closeElasticsearchSources);

  it(`loses nothing that was acknowledged, and answers in time, under ${SECURED_FAULTS} faults (TEST_SEED=${SEED})`, async () => {
    const { elasticsearch } = networked;
    const servers = asOwner(elasticsearch.urls, own!.certificate.caFile);
    const access = await makeAccess(servers, documentedRole('tidemark-test'));
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url, access);
    const faults = randomFaults(SEED, SECURED_FAULTS, elasticsearch.nodes.length);
    await loseNothingUnderFaults({ ...networked.cluster, source, faults });
  });
});
