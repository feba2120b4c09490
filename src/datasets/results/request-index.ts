import { nearestName } from '../../lib/nearest-name.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import type { RequestDocument } from '../request.ts';
import type { RequestFilter } from './request-list.ts';
import { type NamedRequest, REQUEST_KIND } from './requests.ts';

/** What is kept in memory of each request; changed when its document is. */
interface KnownRequest extends NamedRequest, Pick<RequestDocument, 'set' | 'requested' | 'state'> {
  /** Of one that has not ended. */
  readonly job: string | undefined;
  readonly url: string;
  readonly status: NonNullable<RequestDocument['result']>['status'] | undefined;
}

/** Some of the requests that wait or run, with their jobs. */
export interface OpenSome {
  readonly requests: readonly (NamedRequest & { readonly job?: string | undefined })[];
  /** All were returned since the last time that this was true. */
  readonly isRound: boolean;
}

interface FoundRequests {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}

/** Requests that are compared with a name that is not known. */
const MOST_COMPARED = 10_000;
/** Documents that are read at a time: there may be a million. */
const PAGE = 1_000;

/** Finds requests by their states, the newest first. A few hundred bytes of each are in memory, once it is used. */
export class RequestIndex {
  readonly #follower: CatalogFollower<RequestDocument>;
  readonly #known = new Map<string, KnownRequest>();
  readonly #open = new Map<string, KnownRequest>();
  /** Ascending by position once it is sorted; with those that a later request of the same URL has replaced. */
  #ordered: KnownRequest[] = [];
  #isSorted = true;
  #round = this.#open.values();

  constructor(catalog: Pick<Catalog, 'head' | 'list'>) {
    const onPut = (document: CatalogDocument<RequestDocument>) => this.#see(document);
    this.#follower = new CatalogFollower(catalog, { kind: REQUEST_KIND, pageSize: PAGE, onPut });
  }

  async find(filter: RequestFilter): Promise<FoundRequests> {
    await this.#follower.load();
    if (!this.#isSorted) this.#sort();
    const isAfter = afterPosition(filter.after);
    const found: KnownRequest[] = [];
    for (let at = this.#ordered.length - 1; at >= 0; at--) {
      const request = this.#ordered[at]!;
      if (!isWanted(request, filter) || !isAfter(request) || this.#known.get(request.id) !== request) continue;
      if (found.length === filter.limit) return { ids: found.map(({ id }) => id), next: positionOf(found.at(-1)!) };
      found.push(request);
    }
    return { ids: found.map(({ id }) => id), next: undefined };
  }

  /** The next requests that wait or run, over and over. */
  async open(most: number): Promise<OpenSome> {
    await this.#follower.load();
    const requests: KnownRequest[] = [];
    while (requests.length < most) {
      const { value, done } = this.#round.next();
      if (done) {
        this.#round = this.#open.values();
        return { requests, isRound: true };
      }
      requests.push(value);
    }
    return { requests, isRound: false };
  }

  /** The URL that a person has probably meant. */
  async nearest(url: string): Promise<string | undefined> {
    await this.#follower.load();
    if (this.#known.size > MOST_COMPARED) return undefined;
    const urls = [...this.#known.values()].map((known) => known.url);
    return urls.find((known) => known.toLowerCase() === url.toLowerCase()) ?? nearestName(url, urls);
  }

  #see({ id, body }: CatalogDocument<RequestDocument>): void {
    const { token, set, requested, state, job: added, request, result } = body;
    const job = state === 'ended' ? undefined : added;
    const seen = { id, token, set, requested, state, job, url: request.base_url, status: result?.status };
    const before = this.#known.get(id);
    const known = before?.requested === requested ? Object.assign(before, seen) : seen;
    if (known !== before) {
      this.#known.set(id, known);
      this.#ordered.push(known);
      this.#isSorted = false;
    }
    if (state === 'ended') this.#open.delete(id);
    else this.#open.set(id, known);
  }

  /** Takes milliseconds for a million, unless most of them are new. */
  #sort(): void {
    if (this.#ordered.length > 2 * this.#known.size) this.#ordered = [...this.#known.values()];
    this.#ordered.sort((one, other) => one.requested - other.requested || (one.id < other.id ? -1 : 1));
    this.#isSorted = true;
  }
}

function isWanted(request: KnownRequest, { status, state, set, isShown }: RequestFilter): boolean {
  return (
    (status === undefined || request.status === status) &&
    (state === undefined || request.state === state) &&
    (set === undefined || request.set === set) &&
    isShown?.(request.set) !== false
  );
}

const SEPARATOR = '~';

function positionOf({ id, requested }: KnownRequest): string {
  return `${requested}${SEPARATOR}${id}`;
}

/** Whether a request comes after a position: with a later one, the older. */
function afterPosition(position: string | undefined): (request: KnownRequest) => boolean {
  if (position === undefined) return () => true;
  const [time, id = ''] = position.split(SEPARATOR);
  const last = Number(time);
  return (request) => request.requested < last || (request.requested === last && request.id < id);
}
