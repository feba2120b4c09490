import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { estypes } from '@elastic/elasticsearch';
import type { Certificate } from '../../scripts/services/make-certificate.ts';
import { makeCertificate } from '../../scripts/services/make-certificate.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import type { ElasticsearchServers } from '../../src/lib/elasticsearch/servers.ts';
import type { OwnOptions } from './elasticsearch.ts';
import type { ElasticsearchAccess } from './elasticsearch-source.ts';

const OWNER = { name: 'owner', password: 'right-password', roles: ['superuser'] };
const DOCUMENTED_PREFIX = 'omtd-resourcesync';

/** Elasticsearch 9 with TLS and API keys. */
export function securedOptions(certificate: Certificate): OwnOptions {
  return { major: 9, security: { users: [OWNER], certificate, hasApiKeys: true } };
}

/** A certificate in a folder of its own; `remove` removes both. */
export async function makeOwnCertificate(addresses: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  const remove = () => rm(folder, { recursive: true });
  try {
    return { certificate: await makeCertificate(folder, addresses), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The servers, for their owner. */
export function asOwner(nodes: readonly string[], caFile: string): ElasticsearchServers {
  return { nodes, caFile, authorization: `Basic ${btoa(`${OWNER.name}:${OWNER.password}`)}` };
}

/** The role that docs/configuration.md documents, for the indices of one prefix. */
export function documentedRole(prefix: string): estypes.SecurityRoleDescriptor {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const [, , json] = /^### Privileges\n(.*?)^```json\n(.*?)^```$/ms.exec(page)!;
  return JSON.parse(json!.replaceAll(DOCUMENTED_PREFIX, prefix));
}

/** An API key with one role. */
export async function makeAccess(
  servers: ElasticsearchServers,
  role: estypes.SecurityRoleDescriptor,
): Promise<ElasticsearchAccess> {
  const cluster = new Cluster(servers);
  try {
    const key = { name: 'tidemark', role_descriptors: { tidemark: role } };
    const { encoded } = await cluster.ask((client) => client.security.createApiKey(key));
    assert.ok(encoded);
    return { caFile: servers.caFile!, apiKey: encoded };
  } finally {
    await cluster.close();
  }
}
