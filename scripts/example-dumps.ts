// The documents of a set with dumps, archives and a hub, as the renderers make them.
import { createHash } from 'node:crypto';
import type { Resource } from '../src/core/resource.ts';
import { boundaryAfter, boundaryBefore, formatStamp, type Stamp } from '../src/core/stamp.ts';
import { timeName } from '../src/publish/archives/stored-archive.ts';
import { partName } from '../src/publish/pages/document-name.ts';
import type { SetUris } from '../src/publish/published-set.ts';
import { type ArchivedDocument, renderArchive } from '../src/publish/render/documents/archive-document.ts';
import { renderCapabilityList } from '../src/publish/render/documents/capability-list.ts';
import {
  changeManifestEntry,
  changeManifestHead,
  type DumpedChanges,
  renderChangeDump,
} from '../src/publish/render/documents/change-dump-document.ts';
import { renderChangeListIndex } from '../src/publish/render/documents/change-list-index.ts';
import { renderTopic } from '../src/publish/render/documents/notification.ts';
import { renderResourceDump } from '../src/publish/render/documents/resource-dump.ts';
import { manifestEntry, manifestHead } from '../src/publish/render/documents/resource-dump-manifest.ts';
import { type ArchiveCapability, URLSET_END } from '../src/publish/render/documents/sitemap.ts';
import { DUMPED, EPOCH_START, foldSteps } from './example-history.ts';
import { changeList, type Named, resourceList } from './example-lists.ts';

/** Changes of the window that is closed. */
const CLOSED = 3;
/** Microseconds from the time of a list or a dump to its completion. */
const TAKEN = 1_250_000;
const CHANCE = '5f0c31d2';

/** A set that keeps its lists, dumps and versions. */
export function dumpedSet(uris: SetUris, hub: string): readonly Named[] {
  const { changes, resources } = foldSteps(DUMPED);
  const earlier = foldSteps(DUMPED.slice(0, CLOSED));
  const then = boundaryAfter(earlier.changes.at(-1)!.stamp);
  const at = boundaryAfter(changes.at(-1)!.stamp);
  return [
    capabilityList(uris, hub),
    [uris.resourceList, resourceList(uris, resources, { at, archives: uris.resourceListArchive })],
    [uris.archivedList(timeName(then)), resourceList(uris, earlier.resources, { at: then })],
    archive(uris, 'resourcelist-archive', [{ uri: uris.archivedList(timeName(then)), ...timesOf(then) }]),
    ...resourceDumps(uris, { resources, at, earlier: earlier.resources, then }),
    ...changeDocuments(uris),
    topic(uris.changeTopic, 'change-notification', uris),
    topic(uris.frameworkTopic, 'framework-notification', uris),
  ];
}

function capabilityList(uris: SetUris, hub: string): Named {
  const text = renderCapabilityList({
    sourceDescription: uris.sourceDescription,
    describedBy: uris.home,
    capabilities: [
      { uri: uris.resourceList, capability: 'resourcelist' },
      { uri: uris.resourceListArchive, capability: 'resourcelist-archive' },
      { uri: uris.changeList, capability: 'changelist' },
      { uri: uris.changeListArchive, capability: 'changelist-archive' },
      { uri: uris.resourceDump, capability: 'resourcedump' },
      { uri: uris.resourceDumpArchive, capability: 'resourcedump-archive' },
      { uri: uris.changeDump, capability: 'changedump' },
      { uri: uris.changeDumpArchive, capability: 'changedump-archive' },
    ],
    channels: [
      { topic: uris.changeTopic, capability: 'change-notification', hub },
      { topic: uris.frameworkTopic, capability: 'framework-notification', hub },
    ],
  });
  return [uris.capabilityList, text];
}

interface Dumped {
  readonly resources: readonly Resource[];
  readonly at: Stamp;
  readonly earlier: readonly Resource[];
  readonly then: Stamp;
}

/** The present dump, one of an earlier time, and the manifests of their packages. */
function resourceDumps(uris: SetUris, { resources, at, earlier, then }: Dumped): readonly Named[] {
  const head = { capabilityList: uris.capabilityList };
  const packed = [
    { states: resources, ...timesOf(at) },
    { states: earlier, ...timesOf(then) },
  ].map(({ states, ...times }) => {
    // Of the page, at the version of its last change.
    const name = `${partName(1, 1)}-${times.at - 1}-1-${CHANCE}`;
    const entries = states.map((one) => manifestEntry(one, fileOf(one), styleOf(uris)));
    const manifest = manifestHead({ ...head, at: times.at }) + entries.join('') + URLSET_END;
    const uri = uris.dumpPackage(name);
    return { manifest, entry: { uri, contents: uris.dumpManifest(name), ...bytesOf(manifest), ...times } };
  });
  const [present, former] = packed.map(({ entry }) => entry);
  const archived = uris.archivedDump(timeName(former!.completed));
  const archives = uris.resourceDumpArchive;
  return [
    [uris.resourceDump, renderResourceDump({ ...head, ...timesOf(at), archives, packages: [present!] })],
    [archived, renderResourceDump({ ...head, ...timesOf(then), packages: [former!] })],
    archive(uris, 'resourcedump-archive', [{ uri: archived, ...timesOf(then) }]),
    ...packed.map(({ manifest, entry }): Named => [entry.contents, manifest]),
  ];
}

/** Change Lists and Change Dumps: a window that is closed and packed, and an open one. */
function changeDocuments(uris: SetUris): readonly Named[] {
  const { changes } = foldSteps(DUMPED);
  const { capabilityList, changeList: index } = uris;
  const cut = boundaryBefore(changes[CLOSED]!.stamp);
  const closed = { from: EPOCH_START, until: cut };
  const [first, second] = [1, 2].map((number) => uris.changeWindow(partName(1, number)));
  const windows = [
    { uri: first!, ...closed },
    { uri: second!, from: cut },
  ];
  const name = `${partName(1, 1)}-1-${CHANCE}`;
  const entries = changes
    .slice(0, CLOSED)
    .map((change) =>
      changeManifestEntry(change, `${formatStamp(change.stamp).replace(/[-:]/g, '')}/${fileOf(change)}`, styleOf(uris)),
    );
  const manifest = changeManifestHead({ ...closed, capabilityList }) + entries.join('') + URLSET_END;
  const contents = uris.changeManifest(name);
  const packages: readonly DumpedChanges[] = [
    { uri: uris.changePackage(name), contents, ...bytesOf(manifest), ...closed },
  ];
  const dump = { from: EPOCH_START, capabilityList };
  const finished = uris.archivedChangeDump(partName(1, 1));
  return [
    [index, renderChangeListIndex({ from: EPOCH_START, capabilityList, archives: uris.changeListArchive, windows })],
    [first!, changeList(uris, changes.slice(0, CLOSED), { ...closed, index })],
    [second!, changeList(uris, changes.slice(CLOSED), { from: cut, index })],
    [uris.recentChanges, changeList(uris, changes, { from: EPOCH_START })],
    archive(uris, 'changelist-archive', [{ uri: first!, ...closed }]),
    [uris.changeDump, renderChangeDump({ ...dump, archives: uris.changeDumpArchive, packages })],
    [finished, renderChangeDump({ ...dump, until: cut, packages })],
    archive(uris, 'changedump-archive', [{ uri: finished, ...closed }]),
    [contents, manifest],
  ];
}

function archive(uris: SetUris, capability: ArchiveCapability, entries: readonly ArchivedDocument[]): Named {
  const addresses: Readonly<Record<ArchiveCapability, string>> = {
    'resourcelist-archive': uris.resourceListArchive,
    'changelist-archive': uris.changeListArchive,
    'resourcedump-archive': uris.resourceDumpArchive,
    'changedump-archive': uris.changeDumpArchive,
  };
  return [addresses[capability], renderArchive({ capability, capabilityList: uris.capabilityList, entries })];
}

function topic(uri: string, capability: Parameters<typeof renderTopic>[0], { capabilityList: up }: SetUris): Named {
  return [uri, renderTopic(capability, { up, at: formatStamp(EPOCH_START) })];
}

function timesOf(at: Stamp) {
  return { at, completed: at + TAKEN };
}

function styleOf({ home }: SetUris) {
  return { urlPrefix: `${home}resources/`, publishHashes: [] };
}

const fileOf = ({ key }: Pick<Resource, 'key'>) => key.slice(1);

/** Of a package: those of a real one follow from its bytes, which are not among the examples. */
function bytesOf(manifest: string) {
  return {
    length: Buffer.byteLength(manifest) + 712,
    sha256: createHash('sha256').update(manifest).digest('hex'),
  };
}
