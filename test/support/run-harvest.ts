import type { ArtifactLocation } from '../../src/artifacts/open-artifacts.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { armFailpoint } from '../../src/lib/failpoint.ts';
import { allKindsOfItems, harvest } from './activity-run.ts';

export interface HarvestToKill {
  readonly location: ArtifactLocation;
  /** For what is gathered. */
  readonly folder: string;
  readonly provider: string;
  readonly failpoint: string;
}

// A process that harvests until it dies at the failpoint.
const { location, folder, provider, failpoint }: HarvestToKill = JSON.parse(process.argv[2]!);
armFailpoint(failpoint);
const store = openArtifacts(location);
await harvest({ store, folder, provider }, allKindsOfItems(400));
await store.close();
