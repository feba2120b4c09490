import type { ResourceSet } from '../../core/resource-set.ts';
import type { DocumentPlan, SetInput, SourceInput } from '../document-plan.ts';
import type { Capability } from '../render/documents/sitemap.ts';

/** Texts about a document, for users. */
export interface DocumentTexts {
  readonly title: string;
  readonly purpose: string;
}

export interface DocumentRow {
  /** Path below the base URL. Its parameters are the fields of the document's key. */
  readonly path: string;
  /** Texts for the description of the API. */
  readonly operation: { readonly id: string; readonly summary: string };
  /** Makes the document a member of `documents` in the API, and a line on the page of the set. */
  readonly listed?: DocumentTexts;
  /** The heading of its web page; `ofIndex` is the purpose of an index over several documents. */
  readonly page: DocumentTexts & { readonly ofIndex?: string };
  /** Whether it has no web page: clients always get XML, whatever they prefer. */
  readonly isXmlOnly?: boolean;
  /** The kind of its entries, when it is not an index. */
  readonly entries: 'documents' | 'resources' | 'changes';
  /** Its capability, if a Source Description or a Capability List lists it, and the label shown for it. */
  readonly capability?: { readonly name: Capability; readonly label: string };
  /** Whether its response has links to its hub and to itself (WebSub, 4). */
  readonly isTopic?: boolean;
}

export interface SourceRow extends DocumentRow {
  readonly of: 'source';
  readonly plan: (input: SourceInput, part: string) => DocumentPlan;
}

export interface SetRow extends DocumentRow {
  readonly of: 'set';
  /** Whether clients may request the changes of a period, by `from` and `until`. */
  readonly takesRange?: boolean;
  /** Whether its response has a link to the stream of changes as they happen. */
  readonly hasStream?: boolean;
  /** Whether a set has this document; by default all sets do. */
  readonly isOf?: (set: ResourceSet) => boolean;
  /** Whether it is published before the set was read for the first time. */
  readonly isEarly?: boolean;
  readonly plan: (input: SetInput) => DocumentPlan | Promise<DocumentPlan>;
}
