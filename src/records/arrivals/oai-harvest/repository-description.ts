import type { MetadataFormat } from '../../metadata-format.ts';

/** The answers to Identify, ListMetadataFormats and ListSets. */
export interface RepositoryDescription {
  readonly name: string;
  readonly granularity: 'day' | 'second';
  /** `deletedRecord` of Identify. */
  readonly deletions: 'no' | 'transient' | 'persistent';
  readonly earliest: string;
  readonly formats: readonly MetadataFormat[];
  /** Undefined when it has no sets. At most the first 10,000. */
  readonly sets?: readonly { readonly spec: string; readonly name: string }[];
  /** Present for a static repository: one document with all records (OAI static repository 2.0). */
  readonly isStatic?: true;
}
