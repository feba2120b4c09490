import * as z from 'zod';
import { INGEST_TYPE, type IngestRequest } from '../request.ts';

const text = z.string().nullish();

/** What is read of a release entity of fatcat. */
const releaseSchema = z.looseObject({
  ident: text,
  work_id: text,
  state: text,
  release_type: text,
  withdrawn_status: text,
  ext_ids: z.record(z.string(), z.unknown()).nullish(),
});
export type Release = z.infer<typeof releaseSchema>;

/** Undefined for a value that is no release. */
export function parseRelease(value: unknown): Release | undefined {
  return releaseSchema.safeParse(value).data;
}

/** Identifiers that lead to a page, in the order in which they are used. */
const RESOLVERS: readonly (readonly [string, (id: string) => string])[] = [
  ['doi', (doi) => `https://doi.org/${doi.toLowerCase()}`],
  ['hdl', (hdl) => `https://hdl.handle.net/${hdl}`],
  ['ark', (ark) => `https://n2t.net/${ark}`],
];

/** The request to ingest a release (D38), or why there is none: only active releases of the type `dataset` have one. */
export function releaseRequest(
  release: Release,
): { readonly request: IngestRequest; readonly skipped?: undefined } | { readonly skipped: string } {
  const { ident, work_id, state, release_type, withdrawn_status } = release;
  if (release_type !== 'dataset') return { skipped: 'another release_type than dataset' };
  if (state && state !== 'active') return { skipped: 'not active' };
  if (withdrawn_status) return { skipped: 'withdrawn' };
  const ext_ids = extIdsOf(release);
  const [link_source, toUrl] = RESOLVERS.find(([name]) => ext_ids[name] !== undefined) ?? [];
  if (link_source === undefined || toUrl === undefined) return { skipped: 'no doi, hdl or ark' };
  const link_source_id = ext_ids[link_source]!;
  const fatcat = { ...(ident && { release_ident: ident }), ...(work_id && { work_ident: work_id }) };
  const base_url = toUrl(link_source_id);
  return {
    request: {
      ingest_type: INGEST_TYPE,
      ingest_request_source: 'fatcat',
      base_url,
      link_source,
      link_source_id,
      ext_ids,
      fatcat,
    },
  };
}

/** The identifiers of a release that are texts. */
export function extIdsOf({ ext_ids }: Release): Readonly<Record<string, string>> {
  const texts = Object.entries(ext_ids ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts.filter(([, id]) => id !== ''));
}
