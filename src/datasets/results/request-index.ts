import { nearestName } from '../../lib/nearest-name.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import type { RequestDocument } from '../request.ts';
import type { RequestFilter } from './request-list.ts';
import { type NamedRequest, REQUEST_KIND } from './requests.ts';

/** What is kept in memory of each request. */
interface KnownRequest extends NamedRequest, Pick<RequestDocument, 'set' | 'requested' | 'state'> {
  readonly job: string | undefined;
  readonly url: string;
  readonly status: NonNullable<RequestDocument['result']>['status'] | undefined;
}

interface FoundRequests {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}

/** Requests that are compared with a name that is not known. */
const MOST_COMPARED = 10_000;
/** Digits of a time in milliseconds, until the year 2286. */
const TIME_DIGITS = 13;

/** Finds requests by their states, the newest first. A few hundred bytes of each are in memory, once it is used. */
export class RequestIndex {
  readonly #follower: CatalogFollower<RequestDocument>;
  readonly #known = new Map<string, KnownRequest>();
  readonly #open = new Map<string, KnownRequest>();
  /** Descending by position; undefined when it has to be made. */
  #sorted: readonly KnownRequest[] | undefined;

  constructor(catalog: Pick<Catalog, 'head' | 'list'>) {
    this.#follower = new CatalogFollower(catalog, { kind: REQUEST_KIND, onPut: (document) => this.#see(document) });
  }

  async find(filter: RequestFilter): Promise<FoundRequests> {
    await this.#follower.load();
    this.#sorted ??= [...this.#known.values()].sort((one, other) => (positionOf(one) < positionOf(other) ? 1 : -1));
    const found: KnownRequest[] = [];
    for (const request of this.#sorted) {
      if (!isWanted(request, filter)) continue;
      if (found.length === filter.limit) return { ids: found.map(({ id }) => id), next: positionOf(found.at(-1)!) };
      found.push(request);
    }
    return { ids: found.map(({ id }) => id), next: undefined };
  }

  /** The requests that wait or run, with their jobs. */
  async open(): Promise<readonly (NamedRequest & { readonly job?: string | undefined })[]> {
    await this.#follower.load();
    return [...this.#open.values()];
  }

  /** The URL that a person has probably meant. */
  async nearest(url: string): Promise<string | undefined> {
    await this.#follower.load();
    if (this.#known.size > MOST_COMPARED) return undefined;
    const urls = [...this.#known.values()].map((known) => known.url);
    return urls.find((known) => known.toLowerCase() === url.toLowerCase()) ?? nearestName(url, urls);
  }

  #see({ id, body }: CatalogDocument<RequestDocument>): void {
    const { token, set, requested, state, job, request, result } = body;
    const known = { id, token, set, requested, state, job, url: request.base_url, status: result?.status };
    this.#known.set(id, known);
    if (state === 'ended') this.#open.delete(id);
    else this.#open.set(id, known);
    this.#sorted = undefined;
  }
}

function isWanted(request: KnownRequest, { status, state, set, after, isShown }: RequestFilter): boolean {
  return (
    (status === undefined || request.status === status) &&
    (state === undefined || request.state === state) &&
    (set === undefined || request.set === set) &&
    (after === undefined || positionOf(request) < after) &&
    isShown?.(request.set) !== false
  );
}

/** Sorts as the times do. */
function positionOf({ id, requested }: KnownRequest): string {
  return `${String(requested).padStart(TIME_DIGITS, '0')}~${id}`;
}
