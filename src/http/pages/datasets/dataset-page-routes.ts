import type { Request, Response } from 'express';
import { administers, may } from '../../../access/may.ts';
import { addRequests } from '../../../api/add-requests.ts';
import { datasetFileView, datasetRequestView } from '../../../api/dataset-view.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { DatasetManifest, ManifestFile } from '../../../datasets/manifest.ts';
import { fileKey, manifestKey } from '../../../datasets/published-dataset.ts';
import type { IngestOptions, RequestDocument } from '../../../datasets/request.ts';
import { parseRequest } from '../../../datasets/results/parse-request.ts';
import { requestId } from '../../../datasets/results/requests.ts';
import { datasetOf, senderOf } from '../../request/admitted.ts';
import { readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { makePrivate } from '../../response/caching.ts';
import { attempting } from '../manage/attempting.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import { frameOf } from '../parts/frame.ts';
import { pagingOf } from '../parts/pager.ts';
import { sendPage } from '../parts/send-page.ts';
import { failedFirst, renderDatasetPage, type ShownFile } from './dataset-page.ts';
import { ADD, DATASET, DATASETS, RETRY } from './dataset-page-operations.ts';
import { isOpen, rankOf } from './dataset-parts.ts';
import { type DatasetsPage, renderDatasetsPage } from './datasets-page.ts';

const REQUESTS_PER_PAGE = 50;
const FILES_PER_PAGE = 100;
const DEFAULT_SET = 'datasets';
const OPTIONS = ['bundle', 'followLatest', 'acceptMismatch'] as const satisfies readonly (keyof IngestOptions)[];

type Filter = Parameters<ServedApp['datasets']['list']>[0];

/** The pages of datasets, with the buttons that add and retry. @param stopping ends bodies that are being read */
export function datasetPageRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { datasets, sets } = app;
  const { idleTimeoutMs } = app.configuration;

  async function showList(
    { request, response }: { readonly request: Request; readonly response: Response },
    { after, attempt, ...filter }: Partial<Filter> & Pick<DatasetsPage, 'attempt'>,
  ): Promise<void> {
    const sender = senderOf(response);
    const found = (await sets.list()).filter(({ origin }) => origin.kind === 'datasets');
    const shown = found.filter((set) => may(sender, 'read-state', set));
    if (found.some((set) => set.private === true)) makePrivate(response);
    const isShown = (slug: string) => administers(sender) || shown.some((set) => set.slug === slug);
    const [frame, listed] = await Promise.all([
      frameOf(app, request, response),
      datasets.list({ ...filter, after, isShown, limit: REQUESTS_PER_PAGE }),
    ]);
    const page = renderDatasetsPage({
      frame,
      filter,
      requests: listed.requests.map(datasetRequestView),
      after,
      next: listed.next,
      sets: shown.map(({ slug }) => slug),
      addsTo: setToAdd(shown, filter.set, response),
      attempt,
    });
    sendPage(response, page, attempt === undefined ? 200 : 400);
  }

  return [
    get('/datasets/', {
      action: 'read-source',
      ...DATASETS,
      handle: (request, response, query) => showList({ request, response }, { ...query, set: query.set || undefined }),
    }),

    post('/datasets/', {
      action: 'post-changes',
      newSetOf: ({ query: { set } }) => (typeof set === 'string' && set !== '' ? set : DEFAULT_SET),
      ...ADD,
      async handle(request, response, { set: slug }) {
        const set = slug || DEFAULT_SET;
        const form = await readForm(request, { idleTimeoutMs, stopping });
        const show = (attempt: RejectedForm) => showList({ request, response }, { set: slug || undefined, attempt });
        await attempting({ form, show }, async () => {
          const asked = parseRequest(form.get('base_url') ?? '');
          const options = Object.fromEntries(
            OPTIONS.filter((name) => form.get(name) === 'yes').map((name) => [name, true]),
          );
          await addRequests(app, senderOf(response), { requests: [asked], asked: { set, options } });
          const id = requestId(asked);
          response.locals.subject = id;
          response.redirect(303, `./${id}/?did=add`);
        });
      },
    }),

    get('/datasets/:dataset/', {
      action: 'read-state',
      ...DATASET,
      async handle(request, response, { page: asked, did }) {
        const listed = datasetOf(response);
        const { document } = listed;
        const [frame, manifest] = await Promise.all([frameOf(app, request, response), datasets.manifest(document)]);
        const view = datasetRequestView(listed);
        const files = failedFirst(shownFiles(document, manifest?.files ?? [], 1));
        const paging = pagingOf(asked, files.length, FILES_PER_PAGE);
        const stored = manifest !== undefined && 'platform_id' in manifest ? manifest : undefined;
        const start = (paging.page - 1) * FILES_PER_PAGE;
        const page = renderDatasetPage({
          frame,
          view,
          files: files.slice(start, start + FILES_PER_PAGE),
          bundle: bundleOf(document, stored),
          paging,
          counts: { files: files.length, failed: files.filter(({ file }) => rankOf(file.status) === 0).length },
          manifestKey: stored && document.result?.platform && manifestKey({ platform: document.result.platform }),
          persistentId: stored?.persistent_id,
          notes: manifest?.notes ?? [],
          mayRetry: !isOpen(view) && may(senderOf(response), 'post-changes', response.locals.set ?? undefined),
          did,
        });
        sendPage(response, page);
      },
    }),

    post('/datasets/:dataset/retry', {
      action: 'post-changes',
      ...RETRY,
      async handle(_request, response) {
        await datasets.retry(datasetOf(response).id);
        response.redirect(303, './?did=retry');
      },
    }),
  ];
}

/** The set that is shown, or the usual one, or the first one to which the sender may post. */
function setToAdd(shown: readonly ResourceSet[], asked: string | undefined, response: Response): string | undefined {
  const sender = senderOf(response);
  const open = shown.filter((set) => may(sender, 'post-changes', set)).map(({ slug }) => slug);
  const found = [asked, DEFAULT_SET].find((slug) => slug !== undefined && open.includes(slug)) ?? open[0];
  // The first request of an administrator makes the set.
  return found ?? (administers(sender) ? DEFAULT_SET : undefined);
}

/** Files, which are resources when their bytes are stored here. @param first the number of the first one */
function shownFiles(document: RequestDocument, files: readonly ManifestFile[], first: number): readonly ShownFile[] {
  const platform = document.result?.dataset === undefined ? undefined : document.result.platform;
  return files.map((file, at) => ({
    file: datasetFileView(file),
    key: platform === undefined || file.stored === undefined ? undefined : fileKey({ platform }, file, at + first),
  }));
}

function bundleOf(document: RequestDocument, manifest: DatasetManifest | undefined): ShownFile | undefined {
  return manifest?.bundle === undefined ? undefined : shownFiles(document, [manifest.bundle], 0)[0];
}
