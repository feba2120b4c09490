// Lists of the example source, as the renderers make them.
import type { Change } from '../src/core/change.ts';
import type { Resource } from '../src/core/resource.ts';
import type { SetUris } from '../src/publish/published-set.ts';
import { type ChangeListHead, changeEntries, changeListHead } from '../src/publish/render/documents/change-list.ts';
import {
  type ResourceListHead,
  resourceEntries,
  resourceListHead,
} from '../src/publish/render/documents/resource-list.ts';
import { URLSET_END } from '../src/publish/render/documents/sitemap.ts';

export type Named = readonly [uri: string, text: string];

type WithoutUp<Head> = Omit<Head, 'capabilityList'>;

export function resourceList(
  { home, capabilityList }: SetUris,
  part: readonly Resource[],
  head: WithoutUp<ResourceListHead>,
): string {
  const urlPrefix = `${home}resources/`;
  const entries = resourceEntries(part, { urlPrefix, publishHashes: [] });
  return resourceListHead({ capabilityList, ...head }) + entries + URLSET_END;
}

export function changeList(
  { home, capabilityList }: SetUris,
  part: readonly Change[],
  head: WithoutUp<ChangeListHead>,
): string {
  const urlPrefix = `${home}resources/`;
  const entries = changeEntries(part, { urlPrefix, publishHashes: [] });
  return changeListHead({ capabilityList, ...head }) + entries + URLSET_END;
}
