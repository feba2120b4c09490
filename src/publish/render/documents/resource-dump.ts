import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import { type PackageEntry, packageEntry } from './package-entry.ts';
import { documentHead, SITEMAPINDEX_END, URLSET_END } from './sitemap.ts';

interface ResourceDumpHead {
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  readonly completed: Stamp;
  readonly capabilityList: string;
  /** Only in the dump that the Capability List names. */
  readonly archives?: string | undefined;
}

export interface ResourceDump extends ResourceDumpHead {
  /** The index that it belongs to. */
  readonly index?: string | undefined;
  readonly packages: readonly DumpedPackage[];
}

/** A ZIP file of resources. */
interface DumpedPackage extends PackageEntry {
  readonly at: Stamp;
  readonly completed: Stamp;
}

export interface ResourceDumpIndex extends ResourceDumpHead {
  readonly parts: readonly { readonly uri: string; readonly at: Stamp }[];
}

/** ResourceSync 1.1, 11.1. */
export function renderResourceDump({ packages, index, ...head }: ResourceDump): string {
  const entries = joinTexts(packages, ({ at, completed, ...entry }) =>
    packageEntry(entry, `at="${formatStamp(at)}" completed="${formatStamp(completed)}"`),
  );
  return headOf('urlset', head, index) + entries + URLSET_END;
}

/** For more packages than one Resource Dump may list (11.1). */
export function renderResourceDumpIndex({ parts, ...head }: ResourceDumpIndex): string {
  const entries = joinTexts(
    parts,
    ({ uri, at }) => `<sitemap><loc>${escapeXml(uri)}</loc><rs:md at="${formatStamp(at)}"/></sitemap>\n`,
  );
  return headOf('sitemapindex', head) + entries + SITEMAPINDEX_END;
}

function headOf(
  root: 'urlset' | 'sitemapindex',
  { at, completed, capabilityList, archives }: ResourceDumpHead,
  index?: string,
): string {
  return documentHead({
    root,
    links: { up: capabilityList, index, archives },
    md: { capability: 'resourcedump', at: formatStamp(at), completed: formatStamp(completed) },
  });
}
