import { builderText } from './markup.ts';
import { type Capability, URLSET_END, withDocument } from './sitemap.ts';

export interface CapabilityList {
  readonly sourceDescription: string;
  /** A document about the set. */
  readonly describedBy?: string | undefined;
  /** One document for each capability (ResourceSync 1.1, 9). */
  readonly capabilities: readonly { readonly uri: string; readonly capability: Capability }[];
}

export function renderCapabilityList({ sourceDescription, describedBy, capabilities }: CapabilityList): string {
  const head = {
    root: 'urlset',
    links: { up: sourceDescription, describedby: describedBy },
    md: { capability: 'capabilitylist' },
  } as const;
  const open = withDocument(head, (document) => {
    for (const { uri, capability } of capabilities) {
      document.ele('url').ele('loc').txt(builderText(uri)).up().ele('rs:md', { capability }).up().up();
    }
  });
  return open + URLSET_END;
}
