import { isUtf8 } from 'node:buffer';
import { excerpt } from '../../../lib/excerpt.ts';
import { hexOf } from '../hex-of.ts';
import type { FileBeginning, FileIdentity } from '../record-form.ts';
import { idInLine, idProblem } from './deleted-ids.ts';

// Blanks occur in sentences; the other characters, and single quotes around a text, in tables, JSON and markup.
const NOT_IN_IDS = /[\s<>{}[\]",;]|^'.*'$/;
const ONE_LINE =
  'it has one line, which is no list of deletions by itself: to delete one id, name the file so, as in ids.del.txt';
/** The notation of the Library of Congress: `n  79021164`. */
const WITH_BLANKS = /^[A-Za-z]{1,3} {1,4}\d+$/;

/** Names with the word `del`, `delete`, `deletes`, `deleted`, `deletion` or `deletions`, as in `2026-02-03.del.txt`. */
const OF_DELETIONS = /(?<![a-z])del(et(e[sd]?|ions?))?(?![a-z])/i;

/**
 * Whether a text is a list of ids: when most of its first lines are an id each; errors in single lines are found when
 * they are read. Its name counts only where there is nothing, or one line: a list of deletions is empty on a day
 * without any, and one word alone may be anything, such as the `Error` that a failed download has left.
 */
export function identifyText({ name, head, isWhole }: FileBeginning): FileIdentity | undefined {
  const isNamedSo = OF_DELETIONS.test(name);
  if (isNamedSo && isWhole && idInLine(head.toString('utf8')) === '') return { kind: 'deleted-ids' };
  if (head.length === 0) return undefined;
  const problem = problemOf(head, { isWhole, isNamedSo });
  return problem === undefined ? { kind: 'deleted-ids' } : { problem };
}

interface TextOptions {
  readonly isWhole: boolean;
  /** Whether its name says that it is a list of deletions: then it may have a single id. */
  readonly isNamedSo: boolean;
}

/** Why a text is not a list of ids. */
function problemOf(head: Buffer, { isWhole, isNamedSo }: TextOptions): string | undefined {
  let ids = 0;
  let firstOther: string | undefined;
  let others = 0;
  for (const line of linesOf(head, isWhole)) {
    if (line === undefined || !looksLikeId(line)) {
      others += 1;
      firstOther ??= line === undefined ? `${hexOf(head)}, which is not UTF-8` : excerpt(line);
    } else ids += 1;
  }
  if (ids === 1 && others === 0 && isWhole && !isNamedSo) return ONE_LINE;
  if (ids > others) return undefined;
  if (others === 0) return 'it has nothing but blanks';
  return `it is not a list of ids, one a line: it has ${firstOther}`;
}

/** Lines that are not blank; undefined for a line that is not UTF-8. */
function* linesOf(head: Buffer, isWhole: boolean): Generator<string | undefined, void, undefined> {
  const lines = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .split(/\r\n?|\n/);
  // The last line is incomplete.
  if (!isWhole && lines.length > 1) lines.pop();
  for (const line of lines) {
    const bytes = Buffer.from(line, 'latin1');
    const text = isUtf8(bytes) ? idInLine(bytes.toString('utf8')) : undefined;
    if (text !== '') yield text;
  }
}

function looksLikeId(line: string): boolean {
  return idProblem(line) === undefined && (!NOT_IN_IDS.test(line) || WITH_BLANKS.test(line));
}
