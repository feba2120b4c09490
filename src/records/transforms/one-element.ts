import { SaxesParser } from 'saxes';
import { TransformError } from './transform.ts';

/** An element of a document, as text. */
interface OneElement {
  readonly xml: string;
  /** Its name, with its prefix. */
  readonly root: string;
  readonly namespace: string;
}

/**
 * Cuts the root element out of a document, without a declaration and comments around it.
 * @throws TransformError `not-xml` when the document is not well-formed, or has a document type
 */
export function oneElement(document: string): OneElement {
  const sax = new SaxesParser({ xmlns: true });
  let depth = 0;
  let start = -1;
  let end = 0;
  let root = { name: '', uri: '' };
  sax.on('error', ({ message }) => {
    throw new TransformError('not-xml', `what the transform made is not one XML element: ${message}`);
  });
  sax.on('doctype', () => {
    throw new TransformError('not-xml', 'what the transform made has a document type (DOCTYPE)');
  });
  sax.on('opentagstart', () => {
    if (depth === 0) start = document.lastIndexOf('<', sax.position - 1);
    depth += 1;
  });
  sax.on('opentag', (tag) => {
    if (depth === 1) root = tag;
  });
  sax.on('closetag', () => {
    depth -= 1;
    if (depth === 0) end = sax.position;
  });
  sax.write(document).close();
  return { xml: document.slice(start, end), root: root.name, namespace: root.uri };
}

/** The same for a text that is one element, by its first tag. */
export function elementOf(xml: string): OneElement {
  const tag = xml.slice(0, xml.indexOf('>'));
  const [, root = '', prefix] = /^<((?:([^\s:/]+):)?[^\s:/]+)/.exec(tag) ?? [];
  const [, namespace = ''] = tag.split(prefix === undefined ? ' xmlns="' : ` xmlns:${prefix}="`, 2);
  return { xml, root, namespace: namespace.slice(0, namespace.indexOf('"')) };
}
