import type { Change } from '../../../core/change.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { type EntryStyle, urlEntry } from './entry.ts';
import { joinTexts } from './join-texts.ts';
import { type PackageEntry, packageEntry } from './package-entry.ts';
import { documentHead, SITEMAPINDEX_END, URLSET_END } from './sitemap.ts';

interface ChangeDumpHead {
  /** The boundary from which on, up to the end of the last package, every change is included. */
  readonly from: Stamp;
  readonly capabilityList: string;
  /** Only in the dump that the Capability List names. */
  readonly archives?: string | undefined;
}

export interface ChangeDump extends ChangeDumpHead {
  /** Only in a finished dump; packages are added to others. */
  readonly until?: Stamp | undefined;
  /** The index that it belongs to. */
  readonly index?: string | undefined;
  readonly packages: readonly DumpedChanges[];
}

/** A ZIP file of changes. */
export interface DumpedChanges extends PackageEntry {
  readonly from: Stamp;
  readonly until: Stamp;
}

export interface ChangeDumpIndex extends ChangeDumpHead {
  readonly parts: readonly { readonly uri: string; readonly from: Stamp; readonly until?: Stamp }[];
}

/** ResourceSync 1.1, 13.1. */
export function renderChangeDump({ packages, until, index, ...head }: ChangeDump): string {
  const entries = joinTexts(packages, ({ from: begins, until: ends, ...entry }) =>
    packageEntry(entry, `from="${formatStamp(begins)}" until="${formatStamp(ends)}"`),
  );
  return headOf('urlset', head, { until, index }) + entries + URLSET_END;
}

/** For more packages than one Change Dump may list (13.1). */
export function renderChangeDumpIndex({ parts, ...head }: ChangeDumpIndex): string {
  const entries = joinTexts(parts, ({ uri, from, until }) => {
    const end = until === undefined ? '' : ` until="${formatStamp(until)}"`;
    return `<sitemap><loc>${escapeXml(uri)}</loc><rs:md from="${formatStamp(from)}"${end}/></sitemap>\n`;
  });
  return headOf('sitemapindex', head) + entries + SITEMAPINDEX_END;
}

function headOf(
  root: 'urlset' | 'sitemapindex',
  { from, capabilityList, archives }: ChangeDumpHead,
  { until, index }: Pick<ChangeDump, 'until' | 'index'> = {},
): string {
  return documentHead({
    root,
    links: { up: capabilityList, index, archives },
    md: {
      capability: 'changedump',
      from: formatStamp(from),
      until: until === undefined ? undefined : formatStamp(until),
    },
  });
}

interface ChangeManifestHead {
  readonly from: Stamp;
  readonly until: Stamp;
  readonly capabilityList: string;
}

/** The start of the manifest of a package of changes, before its entries (ResourceSync 1.1, 13.2). */
export function changeManifestHead({ from, until, capabilityList }: ChangeManifestHead): string {
  return documentHead({
    root: 'urlset',
    links: { up: capabilityList },
    md: { capability: 'changedump-manifest', from: formatStamp(from), until: formatStamp(until) },
  });
}

/** @param name of the version in the package; undefined for a deletion */
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
