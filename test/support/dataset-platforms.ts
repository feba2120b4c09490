import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from './dataset-platforms/platform-routes.ts';
import { notFound, type StandInPage, sendPage } from './dataset-platforms/responses.ts';
import { ServedPlatforms } from './dataset-platforms/served-platforms.ts';
import type { StandInDataset, StandInFile } from './dataset-platforms/simulated-dataset.ts';
import { startFileServer } from './file-server.ts';

export { contentOf, type StandInDataset, type StandInFile } from './dataset-platforms/simulated-dataset.ts';

/** Answers a request, or returns false: then the platforms answer it. */
export type StandInAnswer = (request: IncomingMessage, response: ServerResponse) => boolean | undefined;

/** Dataverse, Zenodo, InvenioRDM, figshare, archive.org and other pages, at 127.0.0.1. */
export interface StandInPlatforms {
  /** Without a slash at its end. */
  readonly url: string;
  /** Path and query of each request that came. */
  readonly requests: readonly string[];
  /** The requests for the bytes of files and bundles, without those of the storage that they lead to. */
  readonly fileRequests: readonly string[];
  /** Adds a dataset, and returns the URL of its landing page. */
  add(dataset: StandInDataset): string;
  /** Serves a file of no platform, and returns its URL. */
  addFile(file: StandInFile): string;
  /** Serves a page at a path (and query), in place of what is there otherwise. Returns its URL. */
  addPage(path: string, page: StandInPage | StandInAnswer): string;
  close(): Promise<void>;
}

const OF_FILES = /^\/(?:api\/access|api\/records\/.*\/(?:content|files-archive)|v2\/file|download|files)\b/;

/** Starts a server without datasets. A test closes it in `afterEach`. */
export async function startPlatforms(): Promise<StandInPlatforms> {
  const served = new ServedPlatforms();
  const pages = new Map<string, StandInPage | StandInAnswer>();
  const server = await startFileServer((request, response) => {
    const page = pages.get(request.url!) ?? pages.get(request.url!.replace(/\?.*/, ''));
    if (typeof page === 'object') sendPage(response, page);
    else if (page === undefined || page(request, response) === false) answer(request, response, served);
  });
  const { url, requests } = server;
  served.url = url;
  return {
    url,
    requests,
    get fileRequests() {
      return requests.filter((one) => OF_FILES.test(one));
    },
    add: (dataset) => `${url}${served.add(dataset)}`,
    addFile(file) {
      const { number, name } = served.addFile(file);
      return `${url}/files/${number}/${encodeURIComponent(name)}`;
    },
    addPage(path, page) {
      pages.set(path, page);
      return `${url}${path}`;
    },
    close: () => server.close(),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, served: ServedPlatforms): void {
  const { pathname, searchParams: query } = new URL(request.url!, served.url);
  for (const [path, send] of ROUTES) {
    const found = path
      .exec(pathname)
      ?.slice(1)
      .map((one = '') => decodeURIComponent(one));
    if (found !== undefined) {
      send({ request, response, found, query, served });
      return;
    }
  }
  notFound(response);
}
