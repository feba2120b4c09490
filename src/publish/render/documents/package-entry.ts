import { escapeXml } from '../../../lib/escape-xml.ts';

/** Fields of a package in a dump, besides the times that it covers. */
export interface PackageEntry {
  readonly uri: string;
  /** Address of its manifest. */
  readonly contents: string;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
}

const PACKAGE_TYPE = 'application/zip';

/** @param times the attributes of `rs:md` that state what the package covers */
export function packageEntry({ uri, contents, length, sha256 }: PackageEntry, times: string): string {
  const md = `${times} hash="sha-256:${sha256}" length="${length}" type="${PACKAGE_TYPE}"`;
  const link = `<rs:ln rel="contents" href="${escapeXml(contents)}" type="application/xml"/>`;
  return `<url><loc>${escapeXml(uri)}</loc><rs:md ${md}/>${link}</url>\n`;
}
