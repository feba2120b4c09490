import { hash } from 'node:crypto';
import type { PlatformDataset } from '../platform.ts';

/** Between the domain, the id and the version. */
const SEPARATOR = '_';
const LONGEST = 100;
const DIGEST_DIGITS = 8;

type Named = Pick<PlatformDataset, 'platformName' | 'platformDomain' | 'platformId' | 'version' | 'isArchiveorgItem'>;

/**
 * The name of the item that stores a dataset, such as `zenodo.org_1234567` (d15). It matches
 * `[A-Za-z0-9][A-Za-z0-9._-]{2,99}`. Where characters had to be changed, a digest of the identity makes it unique. A
 * dataset that is an item of archive.org keeps its name.
 */
export function itemNameOf(dataset: Named): string {
  const { platformName, platformDomain, platformId, version, isArchiveorgItem } = dataset;
  if (isArchiveorgItem && isItemName(platformId)) return platformId;
  const parts = [platformDomain, platformId, ...(version === undefined ? [] : [`v${version}`])];
  const name = parts.map((part) => part.replaceAll(/[^A-Za-z0-9.-]+/g, '-')).join(SEPARATOR);
  if (isItemName(name) && name === parts.join(SEPARATOR)) return name;
  const digest = hash('sha256', JSON.stringify([platformName, ...parts]), 'hex').slice(0, DIGEST_DIGITS);
  const start = name.replace(/^[^A-Za-z0-9]+/, '').slice(0, LONGEST - DIGEST_DIGITS - SEPARATOR.length);
  return `${start === '' ? 'item' : start}${SEPARATOR}${digest}`;
}

/** Whether archive.org permits it as the name of an item. */
export const isItemName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{2,99}$/.test(text);
