import * as z from 'zod';
import { persistentUri } from '../identifiers.ts';
import type { AskedDataset, DatasetPlatform, PlatformDataset } from '../platform.ts';
import { checkedManifest } from './checked-manifest.ts';
import { describedItem } from './described-item.ts';
import { badReply, parseReply, platformFailure } from './parse-reply.ts';
import { type RecordFiles, recordFiles } from './zenodo/record-files.ts';
import { isOfConcept, recordPage } from './zenodo/record-page.ts';
import { type RecordReply, recordReply } from './zenodo/record-replies.ts';

/**
 * Zenodo and all other InvenioRDM, on any host. Each version of a record has an id of its own; the concept, which is
 * all of them, is no dataset (d12).
 */
export const zenodo: DatasetPlatform = {
  name: 'zenodo',

  matchRequest(_request, landing, biblio) {
    return recordPage(landing, biblio) !== undefined;
  },

  async processRequest(asked, client) {
    const { landing, biblio } = asked;
    const { origin, id, isFile } = recordPage(landing, biblio)!;
    if (isFile)
      throw platformFailure('platform-scope', `${landing.url} is a file of a record: request ${origin}/records/${id}`);
    const url = `${origin}/api/records/${encodeURIComponent(id)}`;
    const record = parseReply(recordReply, await client.json(url), url);
    requireVersion(record, { asked, id, url });
    requireOpen(record, landing.url);
    return describe(record, { asked, origin, ...(await recordFiles({ record, url, client })) });
  },
};

interface AskedRecord {
  readonly asked: AskedDataset;
  readonly id: string;
  readonly url: string;
}

/** @throws IngestFailure `platform-scope` for a concept, `bad-platform-reply` for another record */
function requireVersion(record: RecordReply, { asked, id, url }: AskedRecord): void {
  const { request, landing, followLatest } = asked;
  const came = String(record.id);
  const conceptId = textOf(record.conceptrecid ?? record.parent?.id);
  const doi = doiOf(record);
  const conceptDoi = textOf(record.conceptdoi || record.parent?.pids?.doi?.identifier);
  const concept = {
    conceptId: conceptId === came ? undefined : conceptId,
    conceptDoi: conceptDoi === doi ? undefined : conceptDoi,
  };
  const named = [request.base_url, ...landing.hops, landing.url];
  if (!followLatest && isOfConcept(named, concept)) {
    const remedy = `request ${doi === undefined ? `the record ${came}` : `https://doi.org/${doi}`}, or use --follow-latest`;
    throw platformFailure('platform-scope', `${request.base_url} names all versions of a record: ${remedy}`);
  }
  if (came !== id && id !== concept.conceptId)
    throw badReply(url, `it describes record ${came}, but ${id} was requested`);
}

/** @throws IngestFailure `platform-restricted` */
function requireOpen({ access, metadata, is_draft: isDraft }: RecordReply, url: string): void {
  const restricted = (text: string) => platformFailure('platform-restricted', `${url} ${text}`);
  if (isDraft === true) throw restricted('is a draft: request a version that is published');
  const until = access?.embargo?.until ?? metadata.embargo_date;
  if (access?.embargo?.active === true || metadata.access_right === 'embargoed')
    throw restricted(`is under embargo${until ? ` until ${until}: request it again then` : ''}`);
  const isClosed = ['restricted', 'closed'].includes(metadata.access_right ?? '');
  if (isClosed || access?.files === 'restricted')
    throw restricted('has files that not everybody may download: ask its authors to open them');
}

interface Described extends RecordFiles {
  readonly asked: AskedDataset;
  readonly origin: string;
}

function describe(record: RecordReply, { asked, origin, files, archive }: Described): PlatformDataset {
  const { metadata } = record;
  const id = String(record.id);
  return {
    platformName: zenodo.name,
    platformDomain: new URL(origin).host,
    platformId: id,
    persistentId: persistentUri(doiOf(record)),
    landingUrl: asked.landing.url,
    files: checkedManifest(files),
    ...(archive !== undefined && { bundle: { url: archive, name: `${id}.zip`, mimetype: 'application/zip' } }),
    archiveorgMetadata: describedItem({
      title: metadata.title,
      creator: creatorsOf(metadata.creators),
      date: metadata.publication_date,
      description: metadata.description,
      rights: licenseOf(metadata.license) ?? licenseOf(metadata.rights),
    }),
    webBaseUrl: asked.landing.url,
  };
}

const doiOf = ({ doi, pids }: RecordReply): string | undefined => textOf(doi || pids?.doi?.identifier);

const textOf = (id: string | number | null | undefined): string | undefined =>
  id === undefined || id === null || id === '' ? undefined : String(id);

const named = z.object({ name: z.string() });
const creators = z.array(z.union([named, z.object({ person_or_org: named }).transform((one) => one.person_or_org)]));

/** Nothing depends on the names: what has another form is left out. */
function creatorsOf(value: unknown): readonly string[] {
  const parsed = creators.safeParse(value);
  return parsed.success ? parsed.data.map(({ name }) => name) : [];
}

const withId = z.object({ id: z.string() });
const license = z.union([withId, z.array(withId).transform(([first]) => first)]);

function licenseOf(value: unknown): string | undefined {
  return license.safeParse(value).data?.id;
}
