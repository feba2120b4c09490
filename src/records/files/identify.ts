import { idInLine } from './deleted-ids.ts';
import { foreignForm, isOfMacos } from './foreign-forms.ts';
import type { FileKind } from './found-file.ts';
import { beginsAsMarc21 } from './identify-marc21.ts';
import { identifyText } from './identify-text.ts';
import { beginsAsXml, identifyXml } from './identify-xml.ts';
import type { Lookahead } from './lookahead.ts';

/** Bytes that are read to identify a file; more of XML, when its first element comes later. */
const HEAD_BYTES = 64 * 1024;
const XML_HEAD_BYTES = 1024 * 1024;

/** Names with the word `del`, `delete`, `deletes`, `deleted`, `deletion` or `deletions`, as in `2026-02-03.del.txt`. */
const OF_DELETIONS = /(?<![a-z])del(et(e[sd]?|ions?))?(?![a-z])/i;

export type Identity =
  | { readonly kind: Exclude<FileKind, 'unknown'>; readonly reason?: undefined }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'of-macos' };

/**
 * The kind of a file that is not a package, judged by its content; by its name only where there is nothing, or one
 * line: a list of deletions is empty on a day without any, and one word may be anything. Its bytes can be read from the
 * first one afterwards.
 */
export async function identify(input: Lookahead, name: string): Promise<Identity> {
  const head = await input.peek(HEAD_BYTES);
  const isNamedSo = OF_DELETIONS.test(name);
  if (isNamedSo && isBlank(head)) return { kind: 'deleted-ids' };
  if (head.length === 0) return unknown('it is empty');
  if (isOfMacos(head)) return { kind: 'of-macos' };
  if (beginsAsMarc21(head)) return { kind: 'marc21' };
  const form = foreignForm(head);
  if (form !== undefined) return unknown(form);
  if (beginsAsXml(head)) {
    const problem = identifyXml(head) ?? identifyXml(await input.peek(XML_HEAD_BYTES));
    return identityOf('marcxml', problem ?? `it is XML without an element in its first ${XML_HEAD_BYTES} bytes`);
  }
  return identityOf('deleted-ids', identifyText(head, { isWhole: head.length < HEAD_BYTES, isNamedSo }));
}

const isBlank = (head: Buffer): boolean => head.length < HEAD_BYTES && idInLine(head.toString('utf8')) === '';

function identityOf(kind: 'marcxml' | 'deleted-ids', problem: string): Identity {
  return problem === '' ? { kind } : unknown(problem);
}

const unknown = (reason: string): Identity => ({ kind: 'unknown', reason });
