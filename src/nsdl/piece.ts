import { TidemarkError } from '../core/errors.ts';
import { escapeXml } from '../lib/escape-xml.ts';
import { parseSmallXml, type XmlElement } from './small-xml.ts';
import { isUuid } from './uuid.ts';

/** The header of a dbInsert file. */
export interface PieceHeader {
  readonly collectionNA: string;
  readonly uuid: string;
  readonly runType: string;
  /** Number of files of the harvest. */
  readonly pieces: number;
  /** From 1. */
  readonly piece: number;
}

/** A record as a dbInsert file has it: deleted without `content`. */
export interface PieceItem {
  readonly identifier: string;
  readonly datestamp: string;
  readonly content?: {
    readonly format: string;
    /** Both are elements that declare their namespaces. */
    readonly native: string;
    readonly nsdlDc: string;
  };
}

export const ENDING = '.dbinsert.xml';
const NAMESPACE = 'urn:tidemark:db-insert';
/** Characters in which a header ends. */
export const LONGEST_HEADER = 64 * 1024;
const MOST_PIECES = 1_000_000;
const DIGITS = 6;

/** `UUID_000001.dbinsert.xml`: the names sort as the numbers do. */
export function pieceName({ uuid, piece }: Pick<PieceHeader, 'uuid' | 'piece'>): string {
  return `${uuid}_${String(piece).padStart(DIGITS, '0')}${ENDING}`;
}

/** The uuid and the number in a name that `pieceName` has made; undefined for another one. */
export function parsePieceName(name: string): Pick<PieceHeader, 'uuid' | 'piece'> | undefined {
  const [, uuid, piece] = /^(.+)_(\d{6,})\.dbinsert\.xml$/.exec(name) ?? [];
  return uuid === undefined ? undefined : { uuid, piece: Number(piece) };
}

/** Whether its harvest removes what no piece mentions. */
export function isFullHarvest({ runType }: Pick<PieceHeader, 'runType'>): boolean {
  return runType.startsWith('full');
}

/** The text of a file. */
export function* pieceText(header: PieceHeader, items: readonly PieceItem[]): Generator<string> {
  const { collectionNA, uuid, runType, pieces, piece } = header;
  const values = Object.entries({ collectionNA, uuid, runType, pieces, piece });
  const lines = values.map(([name, value]) => `    <${name}>${escapeXml(String(value))}</${name}>\n`);
  yield `<?xml version="1.0" encoding="UTF-8"?>
<dbInsert xmlns="${NAMESPACE}">
  <header>
${lines.join('')}  </header>
`;
  for (const item of items) yield itemText(item);
  yield '</dbInsert>\n';
}

function itemText({ identifier, datestamp, content }: PieceItem): string {
  const body =
    content === undefined
      ? '<status>deleted</status>'
      : `<native format="${escapeXml(content.format)}">${content.native}</native>\n    ${content.nsdlDc}`;
  return `  <item>
    <identifier>${escapeXml(identifier)}</identifier>
    <datestamp>${escapeXml(datestamp)}</datestamp>
    ${body}
  </item>
`;
}

/**
 * Parses the header of a file, whatever its namespace: other programs write without one.
 * @param head the beginning of the file, at least LONGEST_HEADER characters of it
 * @throws TidemarkError `invalid`
 */
export function parsePieceHeader(head: string): PieceHeader {
  const header = parseSmallXml(throughHeader(head)).children.find(({ name }) => name === 'header');
  if (header === undefined) throw new TidemarkError('invalid', 'it has no header');
  const uuid = textOf(header, 'uuid');
  if (!isUuid(uuid)) {
    throw new TidemarkError('invalid', `its uuid is ${JSON.stringify(uuid.slice(0, 200))}: use letters, digits and -`);
  }
  const [pieces, piece] = [numberOf(header, 'pieces'), numberOf(header, 'piece')];
  if (piece > pieces) throw new TidemarkError('invalid', `it is piece ${piece} of ${pieces}`);
  return { collectionNA: textOf(header, 'collectionNA'), uuid, runType: textOf(header, 'runType'), pieces, piece };
}

/** Whether a file was written to its end. @param tail its last characters */
export function isWholePiece(tail: string): boolean {
  return /<\/(?:[\w.-]+:)?dbInsert\s*>\s*$/.test(tail);
}

/** A document that ends with its header. */
function throughHeader(head: string): string {
  const [, root] = /<((?:[\w.-]+:)?dbInsert)[\s>]/.exec(head) ?? [];
  const end = /<\/(?:[\w.-]+:)?header\s*>/.exec(head);
  if (root === undefined || end === null) {
    throw new TidemarkError('invalid', 'it is not a dbInsert file: no dbInsert with a header');
  }
  return `${head.slice(0, end.index + end[0].length)}</${root}>`;
}

function textOf({ children }: XmlElement, name: string): string {
  const text = children.find((child) => child.name === name)?.text;
  if (text) return text;
  throw new TidemarkError('invalid', `its header has no ${name}`);
}

function numberOf(header: XmlElement, name: string): number {
  const text = textOf(header, name);
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST_PIECES) return number;
  throw new TidemarkError('invalid', `its ${name} is ${JSON.stringify(text.slice(0, 40))}: expected a number from 1`);
}
