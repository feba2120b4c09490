import { TidemarkError } from '../../../core/errors.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import { EndlessList } from './endless-list.ts';
import { type FetchedPage, fetchPage } from './fetch-page.ts';
import type { HarvestedList } from './harvested-list.ts';
import { judgePage, placeOf } from './judge-page.ts';
import { type OaiClient, OaiFailure } from './oai-client.ts';
import type { PageTar } from './page-tar.ts';
import type { RepositoryDescription } from './repository-description.ts';
import { requestUrl } from './request-url.ts';

/** What is harvested. */
export interface HarvestSource {
  readonly baseUrl: string;
  readonly format: string;
  readonly repository: Pick<RepositoryDescription, 'isStatic'>;
}

interface ListParts {
  readonly client: OaiClient;
  /** The folder of scratch files. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Takes a page, durably. */
  readonly tar: Pick<PageTar, 'append'>;
  /** Records a list, with the tar as it is now, durably: only then the next page is requested. */
  record(list: HarvestedList): Promise<void>;
}

/**
 * Harvests a list from where it is to its end, page by page.
 * @throws TidemarkError `invalid` when it is not complete, with the place; what `record` and the tar throw
 */
export async function harvestList(source: HarvestSource, begun: HarvestedList, parts: ListParts): Promise<void> {
  let endless = new EndlessList();
  for (let list = begun; !list.isComplete; ) {
    const page = await requestPage(source, list, parts);
    try {
      const verdict = judgePage(list, page.scan);
      if ('problem' in verdict) throw incomplete(list, verdict.problem);
      if ('begunAgain' in verdict) {
        endless = new EndlessList();
        list = verdict.begunAgain;
      } else {
        const problem = endless.problemAfter(verdict.list, page.identifiers);
        if (problem !== undefined) throw incomplete(list, problem);
        if (page.scan.errors.length === 0) await parts.tar.append(page.file);
        failpoint('harvest.stored');
        list = verdict.list;
      }
    } finally {
      await page.file.close();
    }
    await parts.record(list);
    failpoint('harvest.recorded');
  }
}

/** Requests the next page of a list. @throws TidemarkError `invalid` with the place */
export async function requestPage(
  { baseUrl, format, repository }: HarvestSource,
  list: HarvestedList,
  parts: Pick<ListParts, 'client' | 'folder' | 'signal'>,
): Promise<FetchedPage> {
  const url = repository.isStatic ? baseUrl : requestUrl(baseUrl, queryOf(format, list));
  try {
    return await fetchPage({ url, format }, parts);
  } catch (error) {
    throw error instanceof OaiFailure ? incomplete(list, error.reason, error) : error;
  }
}

/** OAI-PMH 2.0, 3.5: a token replaces all other arguments. */
function queryOf(format: string, { token, set, from }: HarvestedList): Readonly<Record<string, string>> {
  const verb = 'ListRecords';
  if (token !== undefined) return { verb, resumptionToken: token };
  return {
    ...{ verb, metadataPrefix: format },
    ...(from !== undefined && { from }),
    ...(set !== undefined && { set }),
  };
}

function incomplete(list: HarvestedList, reason: string, cause?: unknown): TidemarkError {
  return new TidemarkError('invalid', `${reason} (${placeOf(list)})`, {}, cause);
}
