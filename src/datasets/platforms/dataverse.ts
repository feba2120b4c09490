import type { AskedDataset, DatasetPlatform, PlatformClient, PlatformDataset } from '../platform.ts';
import { checkedManifest } from './checked-manifest.ts';
import { citationOf } from './dataverse/citation.ts';
import { dataverseFile, inQuery, restrictedFiles } from './dataverse/dataverse-files.ts';
import { type DataversePage, dataversePage } from './dataverse/dataverse-page.ts';
import {
  type DataverseDataset,
  type DataverseVersion,
  datasetReply,
  versionReply,
} from './dataverse/dataverse-replies.ts';
import { describedItem } from './described-item.ts';
import { namedFiles } from './named-files.ts';
import { badReply, parseReply, platformFailure } from './parse-reply.ts';
import { persistentUri } from './persistent-uri.ts';

/** Dataverse, on any host (D54-D60, d12, d13): native API and access API. */
export const dataverse: DatasetPlatform = {
  name: 'dataverse',

  matchRequest(_request, landing) {
    return dataversePage(landing) !== undefined;
  },

  async processRequest({ landing }, client) {
    const page = requireDataset(dataversePage(landing), landing.url);
    const wanted = wantedVersion(page, landing.url);
    const read = await readVersion({ page, wanted, client });
    requirePublished(read.version, landing.url);
    return describe({ ...read, page, landing });
  },
};

type DatasetPage = Extract<DataversePage, { kind: 'dataset' }>;

/** @throws IngestFailure `platform-scope`, `platform-restricted` */
function requireDataset(page: DataversePage | undefined, url: string): DatasetPage {
  if (page?.kind === 'dataset') return page;
  if (page?.kind === 'login')
    throw platformFailure('platform-restricted', `${url} asks for a login: the dataset is not public`);
  const what = page?.kind === 'collection' ? 'a collection of datasets' : 'a file of a dataset, or a reply of its API';
  throw platformFailure('platform-scope', `${url} is ${what}: request the landing page or DOI of one dataset`);
}

/** `1.1`; undefined for the latest published one. @throws IngestFailure `platform-restricted`, `platform-scope` */
function wantedVersion({ version }: DatasetPage, url: string): string | undefined {
  if (version === undefined || /^:?latest(?:-published)?$/i.test(version)) return undefined;
  if (/^:?draft$/i.test(version))
    throw platformFailure('platform-restricted', `${url} is a draft: request a version that is published`);
  const [, major, minor = '0'] = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(version) ?? [];
  if (major !== undefined) return `${Number(major)}.${Number(minor)}`;
  throw platformFailure('platform-scope', `${url} has no version of a dataset: request one such as version=1.1`);
}

interface WantedVersion {
  readonly page: DatasetPage;
  readonly wanted: string | undefined;
  readonly client: PlatformClient;
}

async function readVersion({ page, wanted, client }: WantedVersion) {
  const url = `${apiOf(page)}${queryOf(page)}`;
  const { data } = parseReply(datasetReply, await client.json(url), url);
  const id = identifierOf(data);
  requireSame({ page, data, id, url });
  if (wanted === undefined || wanted === numberOf(data.latestVersion)) return { id, version: data.latestVersion, url };
  const versionUrl = `${apiOf(page)}versions/${wanted}${queryOf(page)}`;
  const version = parseReply(versionReply, await client.json(versionUrl), versionUrl).data;
  // Servers may ignore which version is requested (d12).
  if (numberOf(version) !== wanted)
    throw badReply(versionUrl, `it describes version ${numberOf(version)}, but ${wanted} was requested`);
  requireSame({ page, data, id: version.datasetPersistentId || id, url: versionUrl });
  return { id, version, url: versionUrl };
}

const apiOf = ({ origin, id }: DatasetPage): string =>
  isNumber(id) ? `${origin}/api/datasets/${id}/` : `${origin}/api/datasets/:persistentId/`;

const queryOf = ({ id }: DatasetPage): string => (isNumber(id) ? '' : `?persistentId=${inQuery(id)}`);

const isNumber = (id: string): boolean => /^\d+$/.test(id);

/** Identifiers have any form and length: the API says what they are (d13). */
function identifierOf({ protocol, authority, identifier, latestVersion }: DataverseDataset): string {
  return latestVersion.datasetPersistentId || `${protocol}:${authority}/${identifier}`;
}

interface Compared {
  readonly page: DatasetPage;
  readonly data: DataverseDataset;
  readonly id: string;
  readonly url: string;
}

function requireSame({ page, data, id, url }: Compared): void {
  const came = isNumber(page.id) ? String(data.id) : id;
  if (came.toLowerCase() === page.id.toLowerCase()) return;
  throw badReply(url, `it describes ${came}, but ${page.id} was requested`);
}

function numberOf({ versionNumber, versionMinorNumber }: DataverseVersion): string | undefined {
  return versionNumber === undefined || versionNumber === null
    ? undefined
    : `${versionNumber}.${versionMinorNumber ?? 0}`;
}

/** @throws IngestFailure `platform-404`, `platform-restricted` */
function requirePublished({ versionState, deaccessionNote, files }: DataverseVersion, url: string): void {
  if (versionState === 'DEACCESSIONED')
    throw platformFailure(
      'platform-404',
      `${url} was withdrawn from its Dataverse: ${deaccessionNote || 'no reason given'}`,
    );
  if (versionState === 'DRAFT')
    throw platformFailure('platform-restricted', `${url} is a draft: request a version that is published`);
  const restricted = restrictedFiles(files ?? [], new Date().toISOString().slice(0, 10));
  if (restricted.length === 0) return;
  throw platformFailure(
    'platform-restricted',
    `${url} has ${namedFiles(restricted)} that not everybody may download: ask its depositor to make the dataset public`,
  );
}

interface Described {
  readonly page: DatasetPage;
  readonly id: string;
  readonly version: DataverseVersion;
  /** Of the reply. */
  readonly url: string;
  readonly landing: AskedDataset['landing'];
}

function describe({ page: { origin }, id, version, url, landing }: Described): PlatformDataset {
  const { license, releaseTime, metadataBlocks, files } = version;
  const number = numberOf(version);
  if (number === undefined) throw badReply(url, 'versionNumber is missing');
  if (!files) throw badReply(url, 'files is missing');
  const { name, uri } = typeof license === 'object' && license !== null ? license : { name: license, uri: undefined };
  return {
    platformName: dataverse.name,
    platformDomain: new URL(origin).host,
    platformId: id,
    version: number,
    persistentId: persistentUri(id),
    landingUrl: landing.url,
    files: checkedManifest(files.map((file) => dataverseFile(file, origin))),
    bundle: {
      url: `${origin}/api/access/dataset/:persistentId/versions/${number}?persistentId=${inQuery(id)}&format=original`,
      name: 'dataverse_files.zip',
      mimetype: 'application/zip',
    },
    archiveorgMetadata: describedItem({
      ...citationOf(metadataBlocks),
      date: releaseTime,
      licenseurl: uri,
      rights: name,
    }),
    webBaseUrl: landing.url,
  };
}
