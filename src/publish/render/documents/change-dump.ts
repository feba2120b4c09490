import type { Change } from '../../../core/change.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { type EntryStyle, urlEntry } from './entry.ts';
import { escapeXml, joinTexts } from './markup.ts';
import { PACKAGE_TYPE } from './resource-dump.ts';
import { documentHead, URLSET_END } from './sitemap.ts';

export interface ChangeDump {
  /** Every change from this boundary on, up to the end of the last package, is included. */
  readonly from: Stamp;
  readonly capabilityList: string;
  readonly packages: readonly DumpedChanges[];
}

/** A ZIP file of changes. */
export interface DumpedChanges {
  readonly uri: string;
  /** Of its manifest. */
  readonly contents: string;
  readonly from: Stamp;
  readonly until: Stamp;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
}

/** ResourceSync 1.1, 13.1. It has no `until`: packages are added to it. */
export function renderChangeDump({ from, capabilityList, packages }: ChangeDump): string {
  const head = documentHead({
    root: 'urlset',
    links: { up: capabilityList },
    md: { capability: 'changedump', from: formatStamp(from) },
  });
  const entries = joinTexts(packages, ({ uri, contents, from: begins, until, length, sha256 }) => {
    const md = `from="${formatStamp(begins)}" until="${formatStamp(until)}" hash="sha-256:${sha256}" length="${length}" type="${PACKAGE_TYPE}"`;
    const link = `<rs:ln rel="contents" href="${escapeXml(contents)}" type="application/xml"/>`;
    return `<url><loc>${escapeXml(uri)}</loc><rs:md ${md}/>${link}</url>\n`;
  });
  return head + entries + URLSET_END;
}

export interface ChangeManifest {
  readonly from: Stamp;
  readonly until: Stamp;
  readonly capabilityList: string;
  /** Entries, as `changeManifestEntry` writes them. */
  readonly entries: readonly string[];
}

/** The manifest of a package of changes (ResourceSync 1.1, 13.2). */
export function renderChangeManifest({ from, until, capabilityList, entries }: ChangeManifest): string {
  const head = documentHead({
    root: 'urlset',
    links: { up: capabilityList },
    md: { capability: 'changedump-manifest', from: formatStamp(from), until: formatStamp(until) },
  });
  return head + entries.join('') + URLSET_END;
}

/** @param name of the version in the package; a deletion has none */
export function changeManifestEntry(
  { key, kind, stamp, state }: Change,
  name: string | undefined,
  style: EntryStyle,
): string {
  const event = ` change="${kind}" datetime="${formatStamp(stamp)}"`;
  return urlEntry(
    { key, state: name === undefined ? undefined : state, event, ...(name && { path: `/${name}` }) },
    style,
  );
}
