import type { AskedDataset, DatasetPlatform, PlatformDataset } from '../platform.ts';
import { checkedManifest } from './checked-manifest.ts';
import { describedItem } from './described-item.ts';
import { articleFiles, platformFile } from './figshare/article-files.ts';
import { type ArticlePage, articlePage, type FigshareHosts } from './figshare/article-page.ts';
import { type ArticleFile, type ArticleReply, articleReply } from './figshare/article-replies.ts';
import { namedFiles } from './named-files.ts';
import { badReply, parseReply, platformFailure } from './parse-reply.ts';
import { persistentUri } from './persistent-uri.ts';

const NAME = 'figshare';

/** figshare and the portals of institutions there: API v2. @param hosts whose API is where */
export function figsharePlatform(hosts: FigshareHosts): DatasetPlatform {
  return {
    name: NAME,

    matchRequest(_request, landing, biblio) {
      return articlePage(hosts, landing, biblio) !== undefined;
    },

    async processRequest({ landing, biblio }, client) {
      const { api, id, version } = requireArticle(articlePage(hosts, landing, biblio), landing.url);
      const latest = `${api}/v2/articles/${id}`;
      const url = version === undefined ? latest : `${latest}/versions/${version}`;
      const article = parseReply(articleReply, await client.json(url), url);
      if (String(article.id) !== id) throw badReply(url, `it describes article ${article.id}, but ${id} was requested`);
      if (version !== undefined && article.version !== Number(version))
        throw badReply(url, `it describes version ${article.version}, but ${version} was requested`);
      requireOpen(article, landing.url);
      const files = await articleFiles({ article, url: `${latest}/versions/${article.version}`, client });
      requireNoLinks(files, landing.url);
      return describe(article, { landing, api, files });
    },
  };
}

/** @throws IngestFailure `platform-scope`, `platform-restricted` */
function requireArticle(page: ArticlePage | undefined, url: string): Extract<ArticlePage, { kind: 'article' }> {
  if (page?.kind === 'article') return page;
  if (page?.kind === 'private')
    throw platformFailure('platform-restricted', `${url} is a private link: request the article when it is published`);
  const what = page?.kind === 'part' ? 'a file of an article, or a reply of the API' : 'a group of articles';
  throw platformFailure('platform-scope', `${url} is ${what}: request the landing page or DOI of one article`);
}

/** @throws IngestFailure `platform-restricted` */
function requireOpen(article: ArticleReply, url: string): void {
  const restricted = (text: string) => platformFailure('platform-restricted', `${url} ${text}`);
  const { embargo_date: until, confidential_reason: reason } = article;
  if (article.is_embargoed === true)
    throw restricted(`is under embargo${until ? ` until ${until}: request it again then` : ''}`);
  if (article.is_confidential === true) throw restricted(`is confidential${reason ? `: ${reason}` : ''}`);
  if (article.is_public === false) throw restricted('is not public: request it when it is published');
  if (article.download_disabled === true)
    throw restricted('has files that may not be downloaded: ask its authors to permit that');
}

function requireNoLinks(files: readonly ArticleFile[], url: string): void {
  const links = files.filter((file) => file.is_link_only === true).map(({ name }) => name);
  if (links.length === 0) return;
  const message = `${url} has ${namedFiles(links)} at other servers, to which figshare only links: request what they link to`;
  throw platformFailure('platform-scope', message);
}

interface Described {
  readonly landing: AskedDataset['landing'];
  readonly api: string;
  readonly files: readonly ArticleFile[];
}

function describe(article: ArticleReply, { landing, api, files }: Described): PlatformDataset {
  const { title, authors, published_date: date, description, license } = article;
  const folders = new Map(Object.entries(article.folder_structure ?? {}));
  return {
    platformName: NAME,
    platformDomain: new URL(landing.url).host,
    platformId: String(article.id),
    version: String(article.version),
    persistentId: persistentUri(article.doi),
    landingUrl: landing.url,
    files: checkedManifest(files.map((file) => platformFile(file, { api, folders }))),
    archiveorgMetadata: describedItem({
      title,
      creator: authors?.map((author) => author.full_name) ?? [],
      date,
      description,
      licenseurl: license?.url,
      rights: license?.name,
    }),
    webBaseUrl: landing.url,
  };
}
