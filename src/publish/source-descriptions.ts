import { sourceHome } from '../core/set-uris.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan, SourceInput } from './document-plan.ts';
import { nameOfPart, partNamed, partsOf } from './numbered-parts.ts';
import { documentName } from './pages/document-name.ts';
import type { RenderJob } from './render/render-job.ts';

/**
 * The Source Description: one document, or an index over several when there are more sets than one may list
 * (ResourceSync 1.1, 8).
 */
export function planSourceDescription(input: SourceInput): DocumentPlan {
  const { baseUrl, shown, uris } = input;
  const slugs = shown.map(({ slug }) => slug);
  const describedBy = sourceHome(baseUrl);
  const parts = partsOf(slugs);
  const job: RenderJob =
    parts.length === 1
      ? {
          kind: 'source-description',
          document: { describedBy, capabilityLists: capabilityLists(input, slugs) },
        }
      : {
          kind: 'source-description-index',
          document: { describedBy, parts: parts.map((_, at) => uris.descriptionPart(nameOfPart(at))) },
        };
  return plan(input, slugs, job);
}

/** A part of a Source Description that is an index. @throws TidemarkError `not-found` when there is no such part */
export function planDescriptionPart(input: SourceInput, name: string): DocumentPlan {
  const { shown, uris } = input;
  const parts = partsOf(shown.map(({ slug }) => slug));
  const slugs = partNamed(parts, name, 'the Source Description');
  // A client may have read an index that has become one document since.
  if (parts.length === 1) return planSourceDescription(input);
  const document = { index: uris.sourceDescription, capabilityLists: capabilityLists(input, slugs) };
  return plan(input, slugs, { kind: 'source-description', document });
}

function plan({ baseUrl, shown, uri }: SourceInput, slugs: readonly string[], job: RenderJob): DocumentPlan {
  const newest = shown.reduce((latest, { epochStart }) => Math.max(latest, epochStart), 0);
  // Documents that list private sets share one name, so that a new one replaces the last: there may be one for each
  // token.
  const variant = shown.some((set) => set.private === true) ? 'for-some' : undefined;
  // A set that is not shown does not affect the version: otherwise its Last-Modified would reveal changes of a hidden
  // set.
  const print = fingerprint(baseUrl, newest, slugs, job.kind);
  return {
    reference: { folder: 'source', name: documentName(uri, variant), version: newest, fingerprint: print },
    task: () => ({ newest, job }),
  };
}

function capabilityLists({ uris }: SourceInput, slugs: readonly string[]) {
  return slugs.map((slug) => {
    const { capabilityList, home } = uris.ofSet(slug);
    return { uri: capabilityList, describedBy: home };
  });
}
