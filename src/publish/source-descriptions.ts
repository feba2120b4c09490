import { setUris, sourceUris } from '../core/document-uris.ts';
import { TidemarkError } from '../core/errors.ts';
import { MAX_ENTRIES, type ResourceSet } from '../core/resource-set.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { RenderJob } from './render/render-job.ts';
import type { DocumentPlan } from './resource-lists.ts';

/**
 * The Source Description: one document, or with more sets than that may have an index over several (ResourceSync 1.1, 8).
 * @param shown the sets that it lists, ascending by slug
 */
export function planSourceDescription(baseUrl: string, shown: readonly ResourceSet[]): DocumentPlan {
  const slugs = shown.map(({ slug }) => slug);
  const describedBy = sourceUris(baseUrl).home;
  const parts = partsOf(slugs);
  const job: RenderJob =
    parts.length === 1
      ? { kind: 'source-description', document: { describedBy, capabilityLists: capabilityLists(baseUrl, slugs) } }
      : {
          kind: 'source-description-index',
          document: { describedBy, parts: parts.map((_, at) => sourceUris(baseUrl).descriptionPart(partName(at))) },
        };
  return plan({ baseUrl, shown, slugs }, { name: 'description', job });
}

/** A part of a Source Description that is an index. @throws TidemarkError `not-found` when there is no such part */
export function planDescriptionPart(baseUrl: string, shown: readonly ResourceSet[], name: string): DocumentPlan {
  const parts = partsOf(shown.map(({ slug }) => slug));
  const at = parts.findIndex((_, number) => partName(number) === name);
  const slugs = parts[at];
  // An index that a client has read may have become one document since.
  if (parts.length === 1 && at === 0) return planSourceDescription(baseUrl, shown);
  if (slugs === undefined)
    throw new TidemarkError('not-found', `there is no part "${name}" of the Source Description`, { name });
  const index = sourceUris(baseUrl).sourceDescription;
  const document = { index, capabilityLists: capabilityLists(baseUrl, slugs) };
  return plan(
    { baseUrl, shown, slugs },
    { name: `description-${name}`, job: { kind: 'source-description', document } },
  );
}

interface Described {
  readonly baseUrl: string;
  readonly shown: readonly ResourceSet[];
  readonly slugs: readonly string[];
}

function plan({ baseUrl, shown, slugs }: Described, { name, job }: { name: string; job: RenderJob }): DocumentPlan {
  const newest = shown.reduce((latest, { epochStart }) => Math.max(latest, epochStart), 0);
  // Those that list private sets are under one name, so that a new one replaces the last: there may be one for each token.
  const document = shown.some((set) => set.private === true) ? `${name}-for-some` : name;
  // A set that is not shown makes no other version: when this one was rendered can be told from its Last-Modified.
  const print = fingerprint(baseUrl, newest, slugs, job.kind);
  return {
    reference: { folder: 'source', name: document, version: newest, fingerprint: print },
    making: { newest, job },
  };
}

function capabilityLists(baseUrl: string, slugs: readonly string[]) {
  return slugs.map((slug) => {
    const { capabilityList, home } = setUris(baseUrl, slug);
    return { uri: capabilityList, describedBy: home };
  });
}

/** A document has at most 50,000 entries, and so has an index. */
function partsOf(slugs: readonly string[]): readonly (readonly string[])[] {
  const parts = [slugs.slice(0, MAX_ENTRIES)];
  for (let at = MAX_ENTRIES; at < slugs.length; at += MAX_ENTRIES) parts.push(slugs.slice(at, at + MAX_ENTRIES));
  return parts;
}

function partName(at: number): string {
  return String(at + 1).padStart(5, '0');
}
