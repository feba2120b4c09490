import { capabilityOf, type Document, isIndex } from '../../read/document.ts';
import { changesInOrder } from './change-list-rules.ts';
import { endsBeforeItBegins, lacksChange, lacksTime } from './head-checks.ts';
import { unreadable } from './resource-list-rules.ts';
import {
  at,
  atEntry,
  type Located,
  lesser,
  ofDocuments,
  ofEntries,
  ofLists,
  ofPackages,
  type Package,
  type Problems,
  type Rules,
  wrong,
} from './rule.ts';
import { areAscending } from './times.ts';

const NONE: Problems = [];

const withPath = (path: string | undefined): Problems => {
  if (path === undefined) return ['the entry has no path'];
  return wrong(
    !path.startsWith('/') || path.endsWith('/'),
    () => `path ${path} does not begin with /, or ends with it`,
  );
};

/** Checks the required attributes of each entry of a dump. */
const describedPackages = (document: Document): Problems =>
  isIndex(document)
    ? NONE
    : document.entries.flatMap((entry): readonly Located[] => {
        if (entry.loc === '') return [{ ...atEntry(document, entry, 'the entry has no loc'), level: 'MUST' }];
        const missing = ['type', 'length'].filter((name) => entry.md[name] === undefined);
        return missing.length === 0 ? [] : [atEntry(document, entry, `the entry has no ${missing.join(' and no ')}`)];
      });

const ofOneFormat = (document: Document): Problems => {
  if (isIndex(document)) return NONE;
  const types = [...new Set(document.entries.map(({ md }) => md.type ?? 'none'))];
  return [
    ...wrong(types.length > 1, () => `its packages have the types ${types.slice(0, 5).join(', ')}`),
    ...lesser(
      types.length === 1 && types[0] !== 'none' && types[0] !== 'application/zip',
      'SHOULD',
      () => `its packages have the type ${types[0]}, not application/zip`,
    ),
  ];
};

const packageProblem = ({ failure, length, hashes, entry, dump, uri }: Package): Problems => {
  if (failure !== undefined)
    return [{ ...atEntry(dump, entry, `the package ${uri} cannot be read: ${failure}`), level: 'MUST' }];
  const differ = Object.entries(hashes).some(
    ([algorithm, digest]) => !(entry.md.hash ?? '').toLowerCase().includes(`${algorithm}:${digest}`),
  );
  const isOther = differ || (entry.md.length !== undefined && Number(entry.md.length) !== length);
  return isOther
    ? [{ ...atEntry(dump, entry, `the package ${uri} has another length or hash than the entry says`), level: 'MUST' }]
    : NONE;
};

const differentCopy = ({ contents, manifest, dump, entry, uri }: Package): Problems => {
  if (contents === undefined || contents.isUnanswered) return NONE;
  if (contents.failure !== undefined)
    return [atEntry(dump, entry, `the manifest ${contents.uri} cannot be read: ${contents.failure}`)];
  return manifest !== undefined && manifest.content !== contents.content
    ? [at(contents, `it differs from the manifest in the package ${uri}`)]
    : NONE;
};

const manifestProblem = (read: Package, capability: string, time: 'at' | 'from'): Problems => {
  const { manifest, dump, entry, uri, failure, isZip } = read;
  if (failure !== undefined || !isZip) return NONE;
  if (manifest === undefined) return [atEntry(dump, entry, `the package ${uri} has no manifest.xml at its top level`)];
  if (manifest.failure !== undefined) return [at(manifest, `the manifest cannot be read: ${manifest.failure}`)];
  if (manifest.md.capability !== capability)
    return [at(manifest, `the capability of the manifest is ${manifest.md.capability}`)];
  return [...lacksTime(manifest, time), ...endsBeforeItBegins(manifest)].map((message) => at(manifest, message));
};

/** Checks that each bitstream agrees with its entry in the manifest. */
const differentBitstreams = ({ manifest, bitstreams }: Package): Problems =>
  bitstreams.flatMap(({ entry, found, isMissing }) => {
    if (isMissing) return [atEntry(manifest!, entry, `the package has no ${entry.md.path}`)];
    if (found === undefined) return [];
    const { length, hash = '' } = entry.md;
    const isOther = Object.entries(found.hashes).some(
      ([algorithm, digest]) => !hash.toLowerCase().includes(`${algorithm}:${digest}`),
    );
    const differs = isOther || (length !== undefined && Number(length) !== found.length);
    return differs ? [atEntry(manifest!, entry, `${entry.md.path} has another length or hash in the package`)] : [];
  });

const indexOf = (capability: string) =>
  ofLists([capability], (list) => [
    ...unreadable(list, 'so packages are missing'),
    ...(list.head.failure === undefined && !['urlset', 'sitemapindex'].includes(list.head.root)
      ? [at(list.head, 'it is neither a dump nor an index')]
      : []),
  ]);

/** Sections G, H, K and L of the rules: dumps and their manifests. */
export const DUMP_RULES: Rules = {
  57: ofDocuments(['resourcedump'], (document) => [...lacksTime(document, 'at'), ...endsBeforeItBegins(document)]),
  58: { ...ofDocuments(['resourcedump'], describedPackages), ...ofPackages('resourcedump', packageProblem) },
  59: ofPackages('resourcedump', differentCopy),
  60: ofDocuments(['resourcedump'], ofOneFormat),
  61: indexOf('resourcedump'),
  62: {
    package: ({ failure, isZip, manifest, dump, entry, uri }) =>
      failure === undefined && isZip && manifest === undefined && capabilityOf(dump) === 'resourcedump'
        ? [atEntry(dump, entry, `the package ${uri} has no manifest.xml at its top level`)]
        : NONE,
  },
  63: ofPackages('resourcedump', (read) =>
    read.manifest === undefined ? NONE : manifestProblem(read, 'resourcedump-manifest', 'at'),
  ),
  64: ofEntries(['resourcedump-manifest'], ({ loc, md }) =>
    wrong(loc === '' || md.path === undefined, () => 'the entry has no loc or no path'),
  ),
  65: ofEntries(['resourcedump-manifest'], ({ md }) => (md.path === undefined ? NONE : withPath(md.path))),
  66: ofEntries(['resourcedump-manifest'], ({ md }) => wrong(md.type === undefined, () => 'the entry has no type')),
  67: ofPackages('resourcedump', differentBitstreams),
  86: ofDocuments(['changedump'], (document) => [...lacksTime(document, 'from'), ...endsBeforeItBegins(document)]),
  87: ofDocuments(['changedump'], (document) =>
    wrong(
      !areAscending(document.entries.map(({ md }) => md.from)),
      () => 'its packages are not in the order of their from',
    ),
  ),
  88: { ...ofDocuments(['changedump'], describedPackages), ...ofPackages('changedump', packageProblem) },
  89: ofDocuments(['changedump'], ofOneFormat),
  90: ofPackages('changedump', differentCopy),
  91: ofPackages('changedump', (read) => {
    const { manifest, bitstreams } = read;
    const paths = bitstreams.map(({ entry }) => entry.md.path).filter((path) => path !== undefined);
    return manifest !== undefined && new Set(paths).size < paths.length
      ? [at(manifest, 'several changes have the same bitstream')]
      : NONE;
  }),
  92: indexOf('changedump'),
  93: ofPackages('changedump', (read) => manifestProblem(read, 'changedump-manifest', 'from')),
  94: changesInOrder('changedump-manifest'),
  95: ofEntries(['changedump-manifest'], ({ loc, md }) => {
    const lacking = lacksChange(loc, md.change);
    if (lacking.length > 0) return lacking;
    if (md.change === 'deleted' && md.path === undefined) return NONE;
    return withPath(md.path);
  }),
  96: ofPackages('changedump', differentBitstreams),
  97: ofEntries(['changedump-manifest'], ({ md }) =>
    wrong(md.change !== 'deleted' && md.type === undefined, () => 'the entry has no type'),
  ),
};
