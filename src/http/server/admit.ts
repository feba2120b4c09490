import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../../access/access-policy.ts';
import { shownAddress } from '../../access/client-address.ts';
import { isFromThisMachine, refuseForeignPage, requireOwnPage } from '../../access/identify-principal.ts';
import { type Action, administers, type Guarded, may } from '../../access/may.ts';
import { ANONYMOUS, type Principal } from '../../access/principal.ts';
import type { Scope } from '../../access/scope.ts';
import { SenderLimits } from '../../access/sender-limits.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { parseSlug, type ResourceSet } from '../../core/resource-set.ts';
import type { ListedRequest } from '../../datasets/results/request-list.ts';
import type { Collection } from '../../records/collections/collection.ts';
import type { Organization } from '../../records/organization.ts';
import { readersOf } from '../../records/organization-readers.ts';
import { tooManyRequests, unauthorized } from '../request/http-error.ts';
import type { Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { createIdentifySender, type Identified } from './identify-sender.ts';
import { shownCollection } from './shown-collection.ts';
import { shownDataset } from './shown-dataset.ts';

/** The parts of a request that determine whether it is admitted. */
interface Arrival {
  readonly headers: IncomingHttpHeaders;
  /** The remote address of the connection. */
  readonly address: string | undefined;
  /** The value of `:set` in the path, decoded; undefined for a route without it. */
  readonly slug: string | undefined;
  /** The same for `:org`. */
  readonly organization?: string | undefined;
  /** The same for `:collection`. */
  readonly collection?: string | undefined;
  /** The same for `:dataset`. */
  readonly dataset?: string | undefined;
}

export interface Admission {
  readonly sender: Principal;
  /** Whether the sender was identified by the cookie of a session. */
  readonly hasSession: boolean;
  /** The set in the path, or of the request of a dataset in it. */
  readonly set: ResourceSet | undefined;
  /** The organization in the path, or the provider of the collection. */
  readonly organization: Organization | undefined;
  /** The collection in the path. */
  readonly collection: Collection | undefined;
  /** The request of a dataset in the path. */
  readonly dataset: ListedRequest | undefined;
  /** Counts bytes of the body. @throws HttpError 429 when the sender has posted too much for now */
  takeBody(bytes: number): void;
}

/**
 * Admits a request to its route if its sender may use it, and finds the set or organization in its path. Otherwise it
 * throws an error, for which error-handler.ts sends the response. A private set or organization that the sender may not
 * read is treated as if it had never existed. Independent of express.
 */
export type Admit = (route: Admitted, arrival: Arrival) => Promise<Admission>;

type Admitted = Pick<Route, 'method' | 'action' | 'newSetOf'>;
type Parts = Pick<ServedApp, 'sets' | 'records' | 'access' | 'configuration' | 'datasets'>;

export function createAdmit(
  { sets, records, access, configuration, datasets }: Parts,
  policy: AccessPolicy,
  limits = new SenderLimits(configuration),
): Admit {
  const identifySender = createIdentifySender(access, policy);

  async function identified(action: Action, headers: IncomingHttpHeaders): Promise<Identified> {
    if (action === 'probe') {
      // The health of a server is public, even when no token can be looked up.
      isFromThisMachine(headers, policy);
      return { sender: ANONYMOUS, hasSession: false };
    }
    return identifySender(headers, action);
  }

  async function refusal(action: Action, sender: Principal, set: Guarded | undefined): Promise<Error> {
    if (policy.mode === 'read-only') return onlyReading();
    if (sender.kind === 'token') return missingScope(sender.name, action, set);
    if (policy.mode === 'token' || (await access.tokens.areKept())) return unauthorized('this needs a token');
    return notFromHere();
  }

  return async (route, arrival) => {
    const { doubt, ...identity } = await identified(route.action, arrival.headers);
    return admit(route, arrival, identity).catch((error: unknown) => {
      throw doubt ?? error;
    });
  };

  async function admit(route: Admitted, arrival: Arrival, { sender, hasSession }: Identified): Promise<Admission> {
    const { method, action } = route;
    const { headers } = arrival;
    if (method !== 'get') (hasSession ? requireOwnPage : refuseForeignPage)(headers, configuration.baseUrl);
    if (action !== 'probe') throwAfter(limits.takeRequest(sender, arrival));
    if (sender.kind === 'token') access.uses.record(sender.id, () => shownAddress(headers, arrival.address));
    const subjects = await findSubjects(route, arrival, sender);
    const { set, organization } = subjects;
    const guarded = organization === undefined ? set : readersOf(organization);
    if (!may(sender, action, guarded)) throw await refusal(action, sender, guarded);
    const takeBody = (bytes: number) => throwAfter(limits.takeBody(sender, bytes));
    if (method !== 'get') takeBody(0);
    return { sender, hasSession, ...subjects, takeBody };
  }

  /** What the path names, if the sender may know of it. @throws TidemarkError `not-found`, `gone` */
  async function findSubjects(
    { action, newSetOf }: Admitted,
    { slug, organization: id, collection: collectionId, dataset: datasetId }: Arrival,
    sender: Principal,
  ) {
    // The sets of organizations take no posts, so `post:*` does not make them known.
    const isShown = (set: ResourceSet) =>
      may(sender, 'read-state', set) || (traitsOf(set.origin).stream === undefined && may(sender, action, set));
    const mayBeNew = newSetOf !== undefined && administers(sender);
    const named =
      slug === undefined ? undefined : await sets.bySlug(parseSlug(slug), isShown).catch(unlessNew(mayBeNew));
    // The requests of a set that was removed are for administrators.
    const isShownOrGone = (set: ResourceSet | undefined) => (set === undefined ? administers(sender) : isShown(set));
    const { dataset, set = named } =
      datasetId === undefined ? {} : await shownDataset({ datasets, sets }, datasetId, isShownOrGone);
    const isShownOrganization = (one: Organization) =>
      may(sender, action, readersOf(one)) || may(sender, 'read-organization', readersOf(one));
    const { collection, provider } =
      collectionId === undefined ? {} : await shownCollection(records, collectionId, isShownOrganization);
    const organization = id === undefined ? provider : await records.organizations.get(id, isShownOrganization);
    return { set, organization, collection, dataset };
  }
}

/** Treats a set that does not exist as a new one, where it may be new. */
function unlessNew(mayBeNew: boolean): (error: unknown) => undefined {
  return (error) => {
    if (!mayBeNew || !isTidemarkError(error, 'not-found')) throw error;
  };
}

function throwAfter(milliseconds: number): void {
  if (milliseconds > 0) throw tooManyRequests(milliseconds);
}

function onlyReading(): TidemarkError {
  return new TidemarkError(
    'forbidden',
    'this server only lets read: start it without --public-read-only, and with a token, to post',
  );
}

function missingScope(name: string, action: Action, set: Guarded | undefined): TidemarkError {
  const scope = scopeFor(action, set);
  return new TidemarkError('forbidden', `the token "${name}" may not do this: it needs the scope ${scope}`, { scope });
}

function scopeFor(action: Action, set: Guarded | undefined): Scope {
  if (action === 'upload-files' && set !== undefined) return `upload:${set.slug}`;
  if (action === 'manage-organization' && set !== undefined) return `manage:${set.slug}`;
  const isOfPosters = action === 'post-changes' || action === 'read-postings';
  if (isOfPosters && set !== undefined) return `post:${set.slug}`;
  return action === 'read-metrics' ? 'metrics' : 'administer';
}

function notFromHere(): TidemarkError {
  return new TidemarkError(
    'forbidden',
    'without a token this is for requests from the same machine only: make one with "tidemark tokens create", or set TIDEMARK_TOKEN',
  );
}
