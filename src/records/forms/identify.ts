import { findFiles } from '../packages/find-files.ts';
import type { GivenFile, Identity } from '../packages/found-file.ts';
import type { Lookahead } from '../packages/lookahead.ts';
import type { UnpackOptions } from '../packages/unpacking.ts';
import { foreignForm } from './foreign-forms.ts';
import type { FileBeginning, FileIdentity, RecordForm } from './record-form.ts';
import { FORMS } from './record-forms.ts';

/** Bytes that are read to identify a file; a form may peek at more. */
const HEAD_BYTES = 64 * 1024;

const isLast = ({ isLastResort }: RecordForm) => isLastResort === true;
const FIRST = FORMS.filter((form) => !isLast(form));
const LAST = FORMS.filter(isLast);

/** The files in a given file, identified: see `findFiles`. */
export function findRecordFiles(given: GivenFile, options: Omit<UnpackOptions, 'identify'> = {}) {
  return findFiles(given, { ...options, identify });
}

/** The kind of a file that is not a package. Its bytes can be read from the first one afterwards. */
async function identify(input: Lookahead, name: string): Promise<Identity> {
  const head = await input.peek(HEAD_BYTES);
  const file = { name, head, isWhole: head.length < HEAD_BYTES, peek: (bytes: number) => input.peek(bytes) };
  const identity = (await ask(FIRST, file)) ?? foreignForm(head) ?? (await ask(LAST, file)) ?? EMPTY;
  return 'kind' in identity ? identity : { kind: 'unknown', reason: identity.problem };
}

const EMPTY: FileIdentity = { problem: 'it is empty' };

/** The first kind; without one, the first problem. */
async function ask(forms: readonly RecordForm[], file: FileBeginning): Promise<FileIdentity | undefined> {
  let problem: FileIdentity | undefined;
  for (const form of forms) {
    const identity = await form.identify(file);
    if (identity !== undefined && 'kind' in identity) return identity;
    problem ??= identity;
  }
  return problem;
}
