import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { FolderStore } from '../../src/artifacts/folder/folder-store.ts';
import { ArchiveChain } from '../../src/backup/archive-chain.ts';
import { type Archived, type ArchiveInput, archiveLog } from '../../src/backup/log-archive.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { useTempFolder } from './temp-folder.ts';

const BASE_URL = 'http://source.example.org';

/** A store with a set, and where it is archived, for each test of a suite: without the rest of the program. */
export interface ArchivedStores {
  readonly stores: Stores;
  readonly artifacts: ArtifactStore;
  readonly sets: SetRegistry;
  /** Its id. */
  readonly maps: number;
  /** Opens another, empty store. */
  open(): Promise<Stores>;
  archive(more?: Partial<ArchiveInput>): Promise<Archived>;
  /** The archive of a store. */
  chain(archived: Archived): ArchiveChain;
}

/** Call it in `describe`; its values are those of the test that runs. */
export function useArchivedStores(): ArchivedStores {
  const folder = useTempFolder();
  const opened: Stores[] = [];
  let made: Pick<ArchivedStores, 'stores' | 'artifacts' | 'sets' | 'maps'>;

  const open = async (): Promise<Stores> => {
    const stores = await openStores({ kind: 'sqlite', file: folder.at(`store-${opened.length}.db`) });
    opened.push(stores);
    return stores;
  };
  beforeEach(async () => {
    const stores = await open();
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl(BASE_URL, false);
    const { id } = await sets.add({ slug: 'maps', urlPrefix: 'http://example.org/set/' });
    made = { stores, sets, maps: id, artifacts: new FolderStore(folder.at('artifacts')) };
  });
  afterEach(async () => {
    for (const stores of opened.splice(0)) await stores.close();
    await made.artifacts.close();
  });
  return {
    get stores() {
      return made.stores;
    },
    get artifacts() {
      return made.artifacts;
    },
    get sets() {
      return made.sets;
    },
    get maps() {
      return made.maps;
    },
    open,
    archive: (more) => archiveLog({ stores: made.stores, artifacts: made.artifacts, ...more }),
    chain: ({ chain }) => new ArchiveChain(made.artifacts, chain),
  };
}
