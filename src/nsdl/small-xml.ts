import { SaxesParser, type SaxesTagNS } from 'saxes';
import { TidemarkError } from '../core/errors.ts';

export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  /** By their names, prefixes included. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, without white space around it. */
  readonly text: string;
}

interface Draft extends Omit<XmlElement, 'children' | 'text'> {
  readonly children: XmlElement[];
  text: string;
}

const DEEPEST = 100;

/**
 * Parses a document that fits into memory several times. A document type is refused: nothing that it declares or refers
 * to is read.
 * @throws TidemarkError `invalid`, with the detail `isMalformed` when the document is not well-formed, or not complete
 */
export function parseSmallXml(text: string): XmlElement {
  const sax = new SaxesParser({ xmlns: true });
  const open: Draft[] = [];
  let root: Draft | undefined;
  sax.on('doctype', () => {
    throw new TidemarkError('invalid', 'it has a document type (DOCTYPE): remove it');
  });
  sax.on('opentag', (tag) => {
    if (open.length >= DEEPEST) throw new TidemarkError('invalid', `its elements are nested more than ${DEEPEST} deep`);
    const element = draftOf(tag);
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const addText = (piece: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  };
  sax.on('text', addText);
  sax.on('cdata', addText);
  sax.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.text = element.text.trim();
  });
  try {
    sax.write(text).close();
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    throw malformed((error as Error).message);
  }
  if (root === undefined) throw malformed('it has no element');
  return root;
}

function draftOf({ uri, local, attributes }: SaxesTagNS): Draft {
  const values = Object.entries(attributes).map(([name, { value }]) => [name, value] as const);
  return { namespace: uri, name: local, attributes: Object.fromEntries(values), children: [], text: '' };
}

function malformed(reason: string): TidemarkError {
  return new TidemarkError('invalid', `it is not well-formed XML: ${reason}`, { isMalformed: true });
}
