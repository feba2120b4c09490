import type { ResourceSet } from '../../core/resource-set.ts';
import type { DocumentPlan, SetInput, SourceInput } from '../document-plan.ts';
import type { Capability } from '../render/documents/sitemap.ts';

/** A document as people read of it. */
export interface Words {
  readonly title: string;
  readonly purpose: string;
}

export interface DocumentRow {
  /** Below the base URL. Its parameters are the fields of the document's key. */
  readonly path: string;
  /** For the description of the API. */
  readonly operation: { readonly id: string; readonly summary: string };
  /** Makes it a member of `documents` in the API, and a line on the page of the set. */
  readonly listed?: Words;
  /** The heading of its own page; `ofIndex` is the purpose of an index over several documents. */
  readonly page: Words & { readonly ofIndex?: string };
  /** It has no page of its own: whatever a client prefers, it gets XML. */
  readonly isXmlOnly?: boolean;
  /** What its entries are when it is not an index. */
  readonly entries: 'documents' | 'resources' | 'changes';
  /** Its capability, where a Source Description or a Capability List lists it, and what people call it there. */
  readonly capability?: { readonly name: Capability; readonly label: string };
  /** It answers with links to its hub and to itself (WebSub, 4). */
  readonly isTopic?: boolean;
}

export interface SourceRow extends DocumentRow {
  readonly of: 'source';
  readonly plan: (input: SourceInput, part: string) => DocumentPlan;
}

export interface SetRow extends DocumentRow {
  readonly of: 'set';
  /** Clients may ask for the changes of some time, by `from` and `until`. */
  readonly takesRange?: boolean;
  /** It answers with a link to the stream of changes as they happen. */
  readonly hasStream?: boolean;
  /** Which sets have it; without this, all of them. */
  readonly isOf?: (set: ResourceSet) => boolean;
  /** It is published before the set was read for the first time. */
  readonly isEarly?: boolean;
  readonly plan: (input: SetInput) => DocumentPlan | Promise<DocumentPlan>;
}
