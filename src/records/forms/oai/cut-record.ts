import type { CutElement } from './element-writer.ts';
import type { OaiHeader } from './oai-record.ts';

/** A record that was cut out of a page. */
export interface CutRecord extends OaiHeader {
  readonly metadata: CutElement | undefined;
  readonly about: readonly CutElement[];
  /** What the schema of OAI-PMH does not allow in it: a sentence without a full stop. */
  readonly problem?: string | undefined;
}
