// Writes sitemaps/examples/: every kind of document, of a source with two small sets, as the renderers make it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Change } from '../src/core/change.ts';
import type { Resource } from '../src/core/resource.ts';
import { sourceHome } from '../src/core/set-uris.ts';
import { boundaryAfter, boundaryBefore } from '../src/core/stamp.ts';
import { documentUri, setUris } from '../src/publish/documents.ts';
import { partName } from '../src/publish/pages/document-name.ts';
import type { SetUris } from '../src/publish/published-set.ts';
import { type ArchivedDocument, renderArchive } from '../src/publish/render/documents/archive-document.ts';
import { renderCapabilityList } from '../src/publish/render/documents/capability-list.ts';
import { renderChangeListIndex } from '../src/publish/render/documents/change-list-index.ts';
import { renderResourceListIndex } from '../src/publish/render/documents/resource-list-index.ts';
import { renderSourceDescription } from '../src/publish/render/documents/source-description.ts';
import { dumpedSet } from './example-dumps.ts';
import { EPOCH_START, foldSteps, HISTORIES } from './example-history.ts';
import { changeList, type Named, resourceList } from './example-lists.ts';

export const EXAMPLE_BASE_URL = 'https://example.org';
export const EXAMPLE_FOLDER = join(import.meta.dirname, '../sitemaps/examples');

/**
 * All documents of the example source by URI; nothing in them depends on when or where they are made.
 * @param withDumps also the set whose packages are not among the examples
 */
export function exampleDocuments({ withDumps = true } = {}): ReadonlyMap<string, string> {
  const maps = setUris(EXAMPLE_BASE_URL, 'maps');
  const papers = setUris(EXAMPLE_BASE_URL, 'papers');
  const prints = setUris(EXAMPLE_BASE_URL, 'prints');
  return new Map([
    sourceDescription(withDumps ? [maps, papers, prints] : [maps, papers]),
    ...listsOf(maps, foldSteps(HISTORIES.maps)),
    ...partsOf(papers, foldSteps(HISTORIES.papers)),
    ...(withDumps ? dumpedSet(prints, `${EXAMPLE_BASE_URL}/hub`) : []),
  ]);
}

/** Where a document of the example source is below its folder. */
export function exampleFile(uri: string): string {
  const path = uri.slice(EXAMPLE_BASE_URL.length);
  return path === '/.well-known/resourcesync' ? 'source-description.xml' : path.replace('/sets/', '');
}

function sourceDescription(sets: readonly SetUris[]): Named {
  const sourceDescription = documentUri(EXAMPLE_BASE_URL, { kind: 'sourceDescription' });
  const describedBy = sourceHome(EXAMPLE_BASE_URL);
  const capabilityLists = sets.map((uris) => ({ uri: uris.capabilityList, describedBy: uris.home }));
  return [sourceDescription, renderSourceDescription({ describedBy, capabilityLists })];
}

interface History {
  readonly changes: readonly Change[];
  readonly resources: readonly Resource[];
}

/** A set that is small enough for one list of each kind. */
function listsOf(uris: SetUris, { changes, resources }: History): readonly Named[] {
  const at = boundaryAfter(changes.at(-1)!.stamp);
  return [
    capabilityList(uris),
    [uris.resourceList, resourceList(uris, resources, { at })],
    [uris.changeList, changeList(uris, changes, { from: EPOCH_START, archives: uris.changeListArchive })],
    changeListArchive(uris, []),
    [uris.recentChanges, changeList(uris, changes, { from: EPOCH_START })],
  ];
}

/** A set whose lists are cut into parts, and have an index. */
function partsOf(uris: SetUris, { changes, resources }: History): readonly Named[] {
  const { capabilityList: up, resourceList: resourceIndex, changeList: changeIndex } = uris;
  const at = boundaryAfter(changes.at(-1)!.stamp);
  const pages = [resources.slice(0, 2), resources.slice(2)].map((part, number) => ({
    uri: uris.resourcePage(partName(1, number + 1)),
    part,
    at: number === 0 ? boundaryAfter(part.at(-1)!.stamp) : at,
  }));
  const cut = boundaryBefore(changes[3]!.stamp);
  const windows = [
    { uri: uris.changeWindow(partName(1, 1)), part: changes.slice(0, 3), from: EPOCH_START, until: cut },
    { uri: uris.changeWindow(partName(1, 2)), part: changes.slice(3), from: cut },
  ];
  return [
    capabilityList(uris),
    [resourceIndex, renderResourceListIndex({ at, capabilityList: up, pages })],
    ...pages.map(({ uri, part, at }): Named => [uri, resourceList(uris, part, { at, index: resourceIndex })]),
    [
      changeIndex,
      renderChangeListIndex({ from: EPOCH_START, capabilityList: up, archives: uris.changeListArchive, windows }),
    ],
    changeListArchive(uris, [{ uri: windows[0]!.uri, from: EPOCH_START, until: cut }]),
    ...windows.map(({ uri, part, ...head }): Named => [uri, changeList(uris, part, { ...head, index: changeIndex })]),
    [uris.recentChanges, changeList(uris, changes.slice(2), { from: boundaryBefore(changes[2]!.stamp) })],
  ];
}

function capabilityList(uris: SetUris): Named {
  const text = renderCapabilityList({
    sourceDescription: uris.sourceDescription,
    describedBy: uris.home,
    capabilities: [
      { uri: uris.resourceList, capability: 'resourcelist' },
      { uri: uris.changeList, capability: 'changelist' },
      { uri: uris.changeListArchive, capability: 'changelist-archive' },
    ],
  });
  return [uris.capabilityList, text];
}

function changeListArchive(uris: SetUris, entries: readonly ArchivedDocument[]): Named {
  const { capabilityList, changeListArchive: uri } = uris;
  return [uri, renderArchive({ capability: 'changelist-archive', capabilityList, entries })];
}

if (import.meta.main) {
  rmSync(EXAMPLE_FOLDER, { recursive: true, force: true });
  for (const [uri, text] of exampleDocuments()) {
    const file = join(EXAMPLE_FOLDER, exampleFile(uri));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
