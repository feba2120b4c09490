import { hash } from 'node:crypto';
import type { StrategyName } from './manifest.ts';
import type { ResultPlatform } from './request.ts';

/** The document `dataset` of the catalog: a stored dataset, put once, when all of it is durable. */
export interface Dataset {
  readonly id: string;
  /** The slug of the set that publishes it. */
  readonly set: string;
  readonly platform: ResultPlatform;
  readonly persistentId?: string;
  readonly landingUrl: string;
  readonly strategy: StrategyName;
  readonly fileCount: number;
  /** Bytes. */
  readonly totalSize: number;
  readonly itemName?: string;
  readonly itemBundlePath?: string;
  readonly manifest: { readonly artifact: string; readonly length: number; readonly sha256: string };
  /** A remote backend has its files: the manifest alone is a resource. */
  readonly isRemote?: true;
  /** Milliseconds since 1970. */
  readonly stored: number;
  /** When it was taken out of its set, in milliseconds since 1970. */
  readonly removed?: number;
}

/** The id of a dataset in a set: `datasets/0f1e…`, of its identity (d11). */
export function datasetId(set: string, platform: ResultPlatform): string {
  return `${set}/${folderOf(platform)}`;
}

/** The folder of the artifacts of a dataset: 32 hexadecimal digits of its identity. */
export function folderOf({ name, domain, id, version = '' }: ResultPlatform): string {
  return hash('sha256', JSON.stringify([name, domain, id, version]), 'hex').slice(0, 32);
}
