import { TidemarkError } from '../../../core/errors.ts';
import { readGivenFile } from '../../../lib/http/given-file.ts';

const KEYS = /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/;
const SETTING = '--dataset-archiveorg-keys';

/** The keys of an account of archive.org. */
export interface ArchiveKeys {
  readonly access: string;
  readonly secret: string;
  /** `LOW ACCESS:SECRET`: for Save Page Now and IAS3 alone. */
  readonly authorization: string;
}

/**
 * Reads keys from a file, which may change while a server runs.
 * @throws TidemarkError `invalid` when the file cannot be read, or has something else in it
 */
export async function readArchiveKeys(file: string): Promise<ArchiveKeys> {
  const [, access, secret] = KEYS.exec((await readGivenFile(file)).trim()) ?? [];
  if (access !== undefined) return { access, secret: secret!, authorization: `LOW ${access}:${secret}` };
  const message = `the file ${file} (${SETTING}) has no keys: write ACCESS:SECRET into it, in one line`;
  throw new TidemarkError('invalid', message, { file });
}

/** @throws TidemarkError `invalid` without a file, and as readArchiveKeys */
export async function requireArchiveKeys(file: string | undefined): Promise<ArchiveKeys> {
  if (file !== undefined) return readArchiveKeys(file);
  throw new TidemarkError('invalid', `IAS3 needs keys: name a file with ACCESS:SECRET in it with ${SETTING}`, {
    setting: SETTING,
  });
}

/** A text without what is secret of the keys. */
export function withoutKeys(text: string, keys: ArchiveKeys | undefined): string {
  return keys === undefined ? text : text.replaceAll(keys.secret, '…').replaceAll(keys.access, '…');
}
