import { MAX_ENTRIES } from '../core/resource-set.ts';
import type { DocumentPlan } from './document-plan.ts';
import type { ChangePackage } from './dumps/stored-change-dump.ts';
import { documentName } from './pages/document-name.ts';
import type { PublishedSet } from './published-set.ts';

/**
 * The Change Dump (ResourceSync 1.1, 13.1). It lists what has changed since its `from`, so the oldest of too many
 * packages are left out, as the index of Change Lists does.
 */
export function planChangeDump(
  { uris, folder, fingerprint }: PublishedSet,
  packages: readonly ChangePackage[],
): DocumentPlan {
  const listed = packages.slice(-MAX_ENTRIES);
  const newest = listed.at(-1)!.until - 1;
  const document = {
    from: listed[0]!.from,
    capabilityList: uris.capabilityList,
    packages: listed.map(({ name, from, until, length, sha256 }) => {
      return { uri: uris.changePackage(name), contents: uris.changeManifest(name), from, until, length, sha256 };
    }),
  };
  const reference = { folder, name: documentName(uris.changeDump), version: newest, fingerprint };
  return { reference, making: () => ({ newest: listed.at(-1)!.completed, job: { kind: 'change-dump', document } }) };
}
