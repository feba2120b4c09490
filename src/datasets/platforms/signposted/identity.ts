import { hash } from 'node:crypto';
import { publicUrl } from '../../fetch/shown-url.ts';
import { persistentUri } from '../persistent-uri.ts';
import { type Node, textOf, valuesOf } from './json-ld.ts';

interface Named {
  /** What `cite-as` links. */
  readonly cited: string | undefined;
  readonly node: Node | undefined;
  /** Of the meta elements of the page. */
  readonly doi: string | undefined;
}

/** The persistent identifier of a dataset as a URI: what `cite-as` links, an identifier of its JSON-LD, or its DOI. */
export function persistentIdOf({ cited, node, doi }: Named): string | undefined {
  if (cited !== undefined) return persistentUri(cited) ?? cited;
  const stated = node === undefined ? [] : [...valuesOf(node, 'identifier'), node['@id'], ...valuesOf(node, 'sameAs')];
  const uris = stated.map((value) => persistentUri(textOf(value)));
  return uris.find((uri) => uri !== undefined) ?? persistentUri(doi);
}

/**
 * How results name a dataset: `doi:10.1594/PANGAEA.1`, `hdl:…`, or the path and query of its page; a query that gives
 * access by its digest.
 */
export function platformIdOf(persistentId: string | undefined, pageUrl: string): string {
  const [, resolver, name] = /^https:\/\/(doi\.org|hdl\.handle\.net)\/(.+)$/s.exec(persistentId ?? '') ?? [];
  if (name !== undefined) return `${resolver === 'doi.org' ? 'doi' : 'hdl'}:${name}`;
  const { pathname, search } = new URL(pageUrl);
  const isSecret = search !== '' && !publicUrl(pageUrl).includes('?');
  const query = isSecret ? `?${hash('sha256', search).slice(0, 16)}` : search;
  return `${pathname}${query}`.replace(/^\/+|\/+$/g, '') || '-';
}
