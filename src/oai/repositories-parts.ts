import type { ResourceSet } from '../core/resource-set.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import type { ProfileParts } from './profiles/open-profile.ts';

/** From what repositories are read. */
export interface RepositoriesParts extends ProfileParts {
  readonly index: Pick<
    ResourceIndex,
    'changes' | 'watermark' | 'lookup' | 'lastChanges' | 'read' | 'summary' | 'summaries' | 'history'
  >;
  readonly sets: { list(): Promise<readonly ResourceSet[]> };
  readonly adminEmail: string | undefined;
}
