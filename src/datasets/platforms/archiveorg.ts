import { formatCount } from '../../lib/format-count.ts';
import type { Landing } from '../landing/landing.ts';
import type { PlatformFile } from '../manifest.ts';
import type { DatasetPlatform, PlatformDataset } from '../platform.ts';
import { type ItemFile, type ItemReply, itemReply } from './archiveorg/item-replies.ts';
import { checkedManifest } from './checked-manifest.ts';
import { describedItem } from './described-item.ts';
import { namedFiles } from './named-files.ts';
import { badReply, parseReply, platformFailure } from './parse-reply.ts';

const NAME = 'archiveorg';

/** Items of archive.org (D52): metadata API. @param hosts of archive.org, and of mirrors that answer as it does */
export function archiveorgPlatform(hosts: readonly string[]): DatasetPlatform {
  return {
    name: NAME,

    matchRequest(_request, landing) {
      return itemPage(hosts, landing) !== undefined;
    },

    async processRequest({ landing }, client) {
      const { origin, item, isFile } = itemPage(hosts, landing)!;
      if (isFile)
        throw platformFailure(
          'platform-scope',
          `${landing.url} is a file of an item: request ${origin}/details/${item}`,
        );
      const url = `${origin}/metadata/${encodeURIComponent(item)}`;
      const reply = parseReply(itemReply, await client.json(url), url);
      const files = requireOpenItem(reply, { item, url });
      return describe(reply, { origin, item, files });
    },
  };
}

interface ItemPage {
  readonly origin: string;
  readonly item: string;
  readonly isFile: boolean;
}

/** Also a file of an item, whose bytes are at a server of storage, is recognized, by the way to it. */
function itemPage(hosts: readonly string[], { hops, url }: Landing): ItemPage | undefined {
  for (const hop of [url, ...hops.toReversed()]) {
    const { host, origin, pathname } = new URL(hop);
    const [, item, rest = ''] = /^\/(?:details|download|metadata|compress)\/([\w.-]+)(?:\/(.*))?$/.exec(pathname) ?? [];
    if (hosts.includes(host) && item !== undefined) return { origin, item, isFile: rest !== '' };
  }
  return undefined;
}

interface AskedItem {
  readonly item: string;
  /** Of the reply. */
  readonly url: string;
}

/** The files of an item that is public. @throws IngestFailure with what it is otherwise */
function requireOpenItem(reply: ItemReply, { item, url }: AskedItem): readonly ItemFile[] {
  const { metadata, files, error, files_count: count, is_dark: isDark } = reply;
  if (error) throw platformFailure('error-platform-download', `${url} answers with an error: ${error}`);
  if (isDark === true)
    throw platformFailure('platform-404', `the item ${item} was withdrawn from archive.org: ask archive.org why`);
  if (!metadata)
    throw platformFailure('platform-404', `archive.org has no item ${item}: check its name, which is case-sensitive`);
  if (metadata.identifier !== item)
    throw badReply(url, `it describes ${metadata.identifier}, but ${item} was requested`);
  if (metadata.mediatype?.[0] === 'collection')
    throw platformFailure('platform-scope', `${item} is a collection of archive.org: request its items`);
  if (!files) throw badReply(url, 'files is missing');
  if ((count ?? files.length) !== files.length)
    throw badReply(url, `it lists ${formatCount(files.length)} of ${formatCount(count!)} files`);
  const isLent = metadata['access-restricted-item']?.[0] === 'true';
  const closed = files.filter((file) => file.private === true || file.private === 'true').map(({ name }) => name);
  if (!isLent && closed.length === 0) return files;
  const what = isLent ? 'is lent to readers only' : `has ${namedFiles(closed)} that not everybody may download`;
  throw platformFailure('platform-restricted', `the item ${item} ${what}: ask its uploader to open it`);
}

interface Described {
  readonly origin: string;
  readonly item: string;
  readonly files: readonly ItemFile[];
}

function describe({ metadata }: ItemReply, { origin, item, files }: Described): PlatformDataset {
  const originals = files.filter((file) => file.source === 'original' && !isOwnFile(file.name, item));
  const { title, creator, date, description, licenseurl, rights } = metadata!;
  return {
    platformName: NAME,
    platformDomain: new URL(origin).host,
    platformId: item,
    landingUrl: `${origin}/details/${item}`,
    files: checkedManifest(originals.map((file) => platformFile(file, `${origin}/download/${item}`))),
    notes: [leftOut(files.length - originals.length)].filter((note) => note !== undefined),
    isArchiveorgItem: true,
    archiveorgMetadata: describedItem({
      title: title?.[0],
      creator: creator ?? [],
      date: date?.[0],
      description: description?.join('\n\n'),
      licenseurl: licenseurl?.[0],
      rights: rights?.[0],
    }),
    webBaseUrl: `${origin}/download/${item}/`,
  };
}

/** What archive.org adds to each item: in old ones, it is marked as original, too. */
function isOwnFile(name: string, item: string): boolean {
  // Versions that were replaced are in `history/`.
  if (name === '__ia_thumb.jpg' || name.startsWith('history/files/')) return true;
  const end = name.toLowerCase().startsWith(`${item.toLowerCase()}_`) ? name.slice(item.length + 1) : '';
  return /^(?:meta\.xml|meta\.sqlite|files\.xml|reviews\.xml|rules\.conf|archive\.torrent|itemimage\.jpg)$/.test(end);
}

function leftOut(count: number): string | undefined {
  if (count === 0) return undefined;
  const files = count === 1 ? '1 file' : `${formatCount(count)} files`;
  return `${files} of the item that archive.org has made itself (derivatives and metadata) are left out`;
}

function platformFile({ name, size, md5, sha1 }: ItemFile, folder: string): PlatformFile {
  return {
    path: name,
    size: size ?? undefined,
    hashes: [
      ...(md5 ? [{ algorithm: 'md5', digest: md5 }] : []),
      ...(sha1 ? [{ algorithm: 'sha1', digest: sha1 }] : []),
    ],
    platformUrl: `${folder}/${name.toWellFormed().split('/').map(encodeURIComponent).join('/')}`,
  };
}
