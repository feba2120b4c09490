import type { Readable } from 'node:stream';
import { TidemarkError } from '../../../core/errors.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { Package } from '../../../publish/dumps/stored-dump.ts';
import { directRequest, param } from '../../request/admitted.ts';
import type { DirectHandler } from '../../request/direct-request.ts';
import type { Operation } from '../../request/operation.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { answerHead, type ByteRange } from '../../response/answer-head.ts';
import { openBodyInTime } from '../../response/in-time.ts';
import { sendAnswer } from '../../response/send-answer.ts';
import { XML_POLICY } from '../../response/xml-policy.ts';

const READ_PACKAGE = {
  id: 'readPackage',
  tag: 'documents',
  summary: 'A package of the Resource Dump, or its manifest',
  description: 'A package is `NAME.zip`, its manifest `NAME.xml`. Superseded ones can be fetched for another day.',
  isConditional: true,
  hasRanges: true,
  answers: [
    {
      status: 200,
      description: 'The ZIP file, or the manifest that is in it.',
      content: { 'application/zip': 'bytes', 'application/xml': 'text' },
    },
  ],
} satisfies Operation;

/** The two files of a package that a client may request. */
type PackageFileType = 'zip' | 'xml';

const TYPES: Readonly<Record<PackageFileType, string>> = {
  zip: 'application/zip',
  xml: 'application/xml; charset=utf-8',
};
const YEAR_IN_SECONDS = 31_536_000;

/** Packages of dumps, and their manifests. Neither ever changes. */
export function packageRoutes({
  publishing: { dumps },
  configuration: { idleTimeoutMs },
}: ServedApp): readonly Route[] {
  const ofResources = packageHandler({
    find: (set, name) => dumps.known.packageOf(set, name),
    open: (set, found, part) => dumps.open(set, found, part),
    readManifest: (set, found) => dumps.readManifest(set, found),
  });
  const ofChanges = packageHandler({
    find: (set, name) => dumps.known.changePackageOf(set, name),
    open: (set, found, part) => dumps.changes.open(set, found, part),
    readManifest: (set, found) => dumps.changes.readManifest(set, found),
  });
  const send = (direct: DirectHandler): Route['handle'] => {
    return async (request, response) =>
      sendAnswer(response, await direct(directRequest(request, response)), idleTimeoutMs);
  };
  return [
    get('/sets/:set/dumps/:file', {
      action: 'read-resource',
      ...READ_PACKAGE,
      handle: send(ofResources),
      direct: ofResources,
    }),
    get('/sets/:set/changedumps/:file', {
      action: 'read-resource',
      ...READ_PACKAGE,
      id: 'readChangePackage',
      summary: 'A package of the Change Dump, or its manifest',
      description: 'A package is `NAME.zip`, its manifest `NAME.xml`.',
      handle: send(ofChanges),
      direct: ofChanges,
    }),
  ];
}

/** The packages of one kind of dump. */
interface PackageStore<Found> {
  find(set: ResourceSet, name: string): Promise<Found>;
  open(set: ResourceSet, found: Found, part: ByteRange): Promise<Readable>;
  readManifest(set: ResourceSet, found: Found): Promise<Buffer>;
}

function packageHandler<Found extends Pick<Package, 'completed' | 'length' | 'manifest'>>(
  packages: PackageStore<Found>,
): DirectHandler {
  return async (request) => {
    const set = request.set as ResourceSet;
    const { name, type } = parseFile(param(request, 'file'));
    const found = await packages.find(set, name);
    const lastModified = Math.floor(found.completed / 1_000_000);
    const { part, ...head } = answerHead(request, {
      length: type === 'zip' ? found.length : found.manifest.length,
      mime: TYPES[type],
      validators: { etag: `"${name}-${type}"`, lastModified, dateTellsVersions: true },
      isPrivate: set.private === true,
      control: `public, max-age=${YEAR_IN_SECONDS}, immutable`,
    });
    const headers = type === 'xml' ? { ...head.headers, 'Content-Security-Policy': XML_POLICY } : head.headers;
    if (part === undefined) return { ...head, headers };
    if (type === 'zip') return { ...head, headers, body: await openBodyInTime(packages.open(set, found, part)) };
    const manifest = await packages.readManifest(set, found);
    return { ...head, headers, body: manifest.subarray(part.start, part.start + part.length) };
  };
}

/** @throws TidemarkError `not-found` */
function parseFile(file: string): { readonly name: string; readonly type: PackageFileType } {
  const [, name = '', type = ''] = /^(.*)\.(zip|xml)$/.exec(file) ?? [];
  if (type !== '') return { name, type: type as PackageFileType };
  throw new TidemarkError('not-found', `there is no package "${file}": read the Resource Dump`, { file });
}
