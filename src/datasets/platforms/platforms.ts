import type { DatasetPlatform } from '../platform.ts';
import { archiveorgPlatform } from './archiveorg.ts';
import { dataverse } from './dataverse.ts';
import { direct } from './direct.ts';
import type { FigshareHosts } from './figshare/article-page.ts';
import { figsharePlatform } from './figshare.ts';
import { signposted } from './signposted.ts';
import { withCheckedIdentity } from './with-checked-identity.ts';
import { zenodo } from './zenodo.ts';

/** Hosts of platforms that are at few hosts; all others are recognized by what their pages are. */
interface PlatformHosts {
  readonly figshare: FigshareHosts;
  readonly archiveorg: readonly string[];
}

export const PLATFORM_HOSTS: PlatformHosts = {
  figshare: { 'figshare.com': 'https://api.figshare.com' },
  archiveorg: ['archive.org', 'www.archive.org'],
};

/** All platforms, in the order in which they are asked: those that take any page last. */
export function datasetPlatforms(hosts: PlatformHosts = PLATFORM_HOSTS): readonly DatasetPlatform[] {
  const platforms = [
    archiveorgPlatform(hosts.archiveorg),
    figsharePlatform(hosts.figshare),
    dataverse,
    zenodo,
    signposted,
    direct,
  ];
  return platforms.map(withCheckedIdentity);
}
