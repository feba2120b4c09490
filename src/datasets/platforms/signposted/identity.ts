import { type Node, textOf, valuesOf } from './json-ld.ts';

interface Named {
  readonly cited: string | undefined;
  readonly node: Node | undefined;
  /** Of the meta elements of the page. */
  readonly doi: string | undefined;
}

/** The persistent identifier of a dataset as a URI: what `cite-as` links, an identifier of its JSON-LD, or its DOI. */
export function persistentUri({ cited, node, doi }: Named): string | undefined {
  if (cited !== undefined) return doiUri(cited) ?? cited;
  const stated = node === undefined ? [] : [...valuesOf(node, 'identifier'), node['@id'], ...valuesOf(node, 'sameAs')];
  const texts = stated.map(textOf).filter((text) => text !== undefined);
  const found = texts.map(doiUri).find((uri) => uri !== undefined) ?? texts.find(isPersistent);
  return found ?? (doi === undefined ? undefined : doiUri(doi));
}

/** How results name a dataset: `doi:10.1594/PANGAEA.1`, `hdl:…`, or the path and query of its page. */
export function platformIdOf(persistentId: string | undefined, landingUrl: string): string {
  const [, resolver, name] = /^https?:\/\/((?:doi|hdl)\.|)(?:org|handle\.net)\/(.+)$/s.exec(persistentId ?? '') ?? [];
  if (name !== undefined && resolver !== '') return `${resolver === 'doi.' ? 'doi' : 'hdl'}:${name}`;
  const { pathname, search } = new URL(landingUrl);
  return `${pathname}${search}`.replace(/^\/+|\/+$/g, '') || '-';
}

/** `https://doi.org/10.…` of each way to write a DOI. */
function doiUri(text: string): string | undefined {
  const [, doi] = /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?(10\.\d{4,9}\/\S+)$/i.exec(text) ?? [];
  return doi === undefined ? undefined : `https://doi.org/${doi}`;
}

function isPersistent(text: string): boolean {
  return /^https?:\/\/(?:hdl\.handle\.net|n2t\.net|identifiers\.org|w3id\.org)\//.test(text);
}
