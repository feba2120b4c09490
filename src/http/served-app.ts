import type { Configuration } from '../config/configuration.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import type { DocumentPublisher } from '../publisher/published-document.ts';
import type { ContentRoot } from '../roots/content-root.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import type { Updater } from '../updater/updater.ts';

/** What the server needs of the program. */
export interface ServedApp {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly sets: SetRegistry;
  readonly updater: Pick<Updater, 'post'>;
  readonly publisher: DocumentPublisher;
  rootOf(set: ResourceSet): { readonly root: ContentRoot };
}
