import { SaxesParser } from 'saxes';

const PREFIXES: Readonly<Record<string, string>> = {
  'http://www.sitemaps.org/schemas/sitemap/0.9': '',
  'http://www.openarchives.org/rs/terms/': 'rs:',
};

/** An element; its name has the prefix `rs:`, none for the Sitemap namespace, and `{namespace}` for any other. */
export interface XmlElement {
  readonly name: string;
  /** By name; `{namespace}name` for one in a namespace. Declarations of namespaces are left out. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

export interface ParsedDocument {
  readonly uri: string;
  readonly root: XmlElement;
  /** As it was read. */
  readonly text: string;
  /** Uncompressed length in UTF-8. */
  readonly bytes: number;
}

type Draft = { name: string; attributes: Record<string, string>; children: Draft[]; text: string };

/** Reads a document, minding namespaces; throws when it is not well-formed. */
export function parseDocument(uri: string, text: string): ParsedDocument {
  const parser = new SaxesParser({ xmlns: true });
  const top: Draft = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  parser.on('error', (error) => {
    throw new Error(`${uri} is not well-formed: ${error.message}`);
  });
  parser.on('opentag', ({ uri: namespace, local, attributes }) => {
    const element: Draft = { name: nameOf(namespace, local), attributes: {}, children: [], text: '' };
    for (const { uri: space, local: name, prefix, value } of Object.values(attributes)) {
      if (prefix !== 'xmlns' && name !== 'xmlns') element.attributes[space === '' ? name : `{${space}}${name}`] = value;
    }
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('text', (piece) => {
    open.at(-1)!.text += piece;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(text).close();
  return { uri, text, root: top.children[0]!, bytes: Buffer.byteLength(text) };
}

function nameOf(namespace: string, local: string): string {
  const prefix = PREFIXES[namespace];
  return prefix === undefined ? `{${namespace}}${local}` : prefix + local;
}
