import { TidemarkError } from '../../core/errors.ts';
import { deletionLists } from './deletions/deletion-lists.ts';
import { marc } from './marc/marc.ts';
import type { NormalizationKind } from './normalization.ts';
import { oai } from './oai/oai.ts';
import type { FileKind, RecordForm, StoredRecords } from './record-form.ts';

/** All forms, in the order in which they are asked about a file. The first is that of a dump without records. */
export const FORMS: readonly RecordForm[] = [marc, oai, deletionLists];

/** The forms of records. */
export const STORED: readonly StoredRecords[] = FORMS.flatMap(({ records }) => records ?? []);

/** The files of records of which dumps consist. */
export const RECORD_FILES: StoredRecords['files'] = STORED.flatMap(({ files }) => files);

/** The names of all kinds of files. */
export const FILE_KINDS: readonly string[] = [
  ...FORMS.flatMap(({ fileKinds }) => fileKinds.map(({ name }) => name)),
  'unknown',
];

export const NORMALIZATIONS: readonly NormalizationKind[] = STORED.flatMap(({ normalizations }) => normalizations);

/** The form of a kind of file; undefined for an unknown one. */
export function formOf(kind: string): RecordForm | undefined {
  return FORMS.find(({ fileKinds }) => fileKinds.some(({ name }) => name === kind));
}

/** Undefined for an unknown kind. */
export function fileKindOf(kind: string): FileKind | undefined {
  return formOf(kind)?.fileKinds.find(({ name }) => name === kind);
}

/** The kind of a file for users, with the packages around it. */
export function fileKindTitle({
  kind,
  packing,
}: {
  readonly kind: string;
  readonly packing: readonly string[];
}): string {
  return [fileKindOf(kind)?.title ?? 'unknown', ...packing.toReversed()].join(' in ');
}

/** @throws TidemarkError `unavailable` when there is no such form (any more) */
export function storedAs(mime: string): StoredRecords {
  const found = STORED.find(({ stored }) => stored.mime === mime);
  if (found !== undefined) return found;
  throw new TidemarkError('unavailable', `records of the media type ${mime} cannot be read here`, { mime });
}

/** See `StoredRecords.describedUris`; undefined when records of the media type describe nothing. */
export function describedUrisOf(mime: string): StoredRecords['describedUris'] {
  return STORED.find(({ stored }) => stored.mime === mime)?.describedUris;
}

/** @throws TidemarkError `invalid` */
export function normalizationOf(kind: string): NormalizationKind {
  const found = NORMALIZATIONS.find((known) => known.kind === kind);
  if (found !== undefined) return found;
  throw new TidemarkError('invalid', `there is no normalization ${JSON.stringify(kind.slice(0, 100))}`, {
    field: 'normalization',
  });
}
