import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { escapeXml, joinTexts } from './markup.ts';
import { documentHead, SITEMAPINDEX_END, URLSET_END } from './sitemap.ts';

export interface ResourceDumpHead {
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  readonly completed: Stamp;
  readonly capabilityList: string;
  /** Only of the dump that the Capability List names. */
  readonly archives?: string | undefined;
}

export interface ResourceDump extends ResourceDumpHead {
  /** The index that it is a part of. */
  readonly index?: string | undefined;
  readonly packages: readonly DumpedPackage[];
}

/** A ZIP file of resources. */
export interface DumpedPackage {
  readonly uri: string;
  /** Of its manifest. */
  readonly contents: string;
  readonly at: Stamp;
  readonly completed: Stamp;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
}

export interface ResourceDumpIndex extends ResourceDumpHead {
  readonly parts: readonly { readonly uri: string; readonly at: Stamp }[];
}

export const PACKAGE_TYPE = 'application/zip';

/** ResourceSync 1.1, 11.1. */
export function renderResourceDump({ packages, index, ...head }: ResourceDump): string {
  const entries = joinTexts(packages, ({ uri, contents, at, completed, length, sha256 }) => {
    const md = `at="${formatStamp(at)}" completed="${formatStamp(completed)}" hash="sha-256:${sha256}" length="${length}" type="${PACKAGE_TYPE}"`;
    const link = `<rs:ln rel="contents" href="${escapeXml(contents)}" type="application/xml"/>`;
    return `<url><loc>${escapeXml(uri)}</loc><rs:md ${md}/>${link}</url>\n`;
  });
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
