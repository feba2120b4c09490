import type { XmlElement } from './parse-document.ts';

/** An entry of a list or an index. */
export interface ListedEntry {
  readonly loc: string;
  readonly md: Readonly<Record<string, string>>;
  /** The manifest of a package. */
  readonly contents: string | undefined;
}

/** The attributes of `rs:md`, of a document or an entry. */
export function mdOf(element: XmlElement): Readonly<Record<string, string>> {
  return childrenOf(element, 'rs:md')[0]!.attributes;
}

/** Where a document, or an entry, has a link of this relation to. */
export function linkOf(element: XmlElement, rel: string): string | undefined {
  return childrenOf(element, 'rs:ln').find(({ attributes }) => attributes.rel === rel)?.attributes.href;
}

/** The entries of a list, or of an index. */
export function entriesOf(root: XmlElement, name: 'url' | 'sitemap' = 'url'): readonly ListedEntry[] {
  return childrenOf(root, name).map((entry) => ({
    loc: childrenOf(entry, 'loc')[0]!.text,
    md: mdOf(entry),
    contents: linkOf(entry, 'contents'),
  }));
}

function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((one) => one.name === name);
}
