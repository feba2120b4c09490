import { nearestName } from '../../lib/nearest-name.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import type { RequestDocument } from '../request.ts';
import type { RequestFilter } from './request-list.ts';
import { type NamedRequest, REQUEST_KIND } from './requests.ts';

/** What is kept in memory of each request. */
interface KnownRequest extends NamedRequest, Pick<RequestDocument, 'set' | 'state'> {
  readonly job: string | undefined;
  readonly url: string;
  /** Sorts as the times do. */
  readonly position: string;
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
  /** Ids, descending by position; undefined when it has to be made. */
  #sorted: readonly string[] | undefined;

  constructor(catalog: Pick<Catalog, 'head' | 'list'>) {
    this.#follower = new CatalogFollower(catalog, { kind: REQUEST_KIND, onPut: (document) => this.#see(document) });
  }

  async find(filter: RequestFilter): Promise<FoundRequests> {
    await this.#follower.load();
    this.#sorted ??= [...this.#known.values()]
      .sort((one, other) => (one.position < other.position ? 1 : -1))
      .map(({ id }) => id);
    const found: KnownRequest[] = [];
    for (const id of this.#sorted) {
      const request = this.#known.get(id)!;
      if (!isWanted(request, filter)) continue;
      if (found.length === filter.limit) return { ids: found.map((one) => one.id), next: found.at(-1)!.position };
      found.push(request);
    }
    return { ids: found.map((one) => one.id), next: undefined };
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
    const position = `${String(requested).padStart(TIME_DIGITS, '0')}~${id}`;
    const known = { id, token, set, state, job, url: request.base_url, position, status: result?.status };
    if (this.#known.get(id)?.position !== position) this.#sorted = undefined;
    this.#known.set(id, known);
    if (state === 'ended') this.#open.delete(id);
    else this.#open.set(id, known);
  }
}

function isWanted(request: KnownRequest, { status, state, set, after, isShown }: RequestFilter): boolean {
  return (
    (status === undefined || request.status === status) &&
    (state === undefined || request.state === state) &&
    (set === undefined || request.set === set) &&
    (after === undefined || request.position < after) &&
    isShown?.(request.set) !== false
  );
}
