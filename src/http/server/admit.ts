import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../../access/access-policy.ts';
import { isFromThisMachine, refuseForeignPage, requireOwnPage } from '../../access/identify-principal.ts';
import { type Action, type Guarded, may } from '../../access/may.ts';
import { ANONYMOUS, type Principal } from '../../access/principal.ts';
import type { Scope } from '../../access/scope.ts';
import { SenderLimits } from '../../access/sender-limits.ts';
import { TidemarkError } from '../../core/errors.ts';
import { parseSlug, type ResourceSet } from '../../core/resource-set.ts';
import type { Collection } from '../../records/collections/collection.ts';
import type { Organization } from '../../records/organization.ts';
import { readersOf } from '../../records/organization-readers.ts';
import { tooManyRequests, unauthorized } from '../request/http-error.ts';
import type { Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { createIdentifySender, type Identified } from './identify-sender.ts';
import { shownCollection } from './shown-collection.ts';

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
}

export interface Admission {
  readonly sender: Principal;
  /** Whether the sender was identified by the cookie of a session. */
  readonly hasSession: boolean;
  /** The set in the path. */
  readonly set: ResourceSet | undefined;
  /** The organization in the path, or the provider of the collection. */
  readonly organization: Organization | undefined;
  /** The collection in the path. */
  readonly collection: Collection | undefined;
  /** Counts bytes of the body. @throws HttpError 429 when the sender has posted too much for now */
  takeBody(bytes: number): void;
}

/**
 * Admits a request to its route if its sender may use it, and finds the set or organization in its path. Otherwise it
 * throws an error, for which error-handler.ts sends the response. A private set or organization that the sender may not
 * read is treated as if it had never existed. Independent of express.
 */
export type Admit = (route: Pick<Route, 'method' | 'action'>, arrival: Arrival) => Promise<Admission>;

type Parts = Pick<ServedApp, 'sets' | 'records' | 'access' | 'configuration'>;

export function createAdmit(
  { sets, records, access, configuration }: Parts,
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

  async function admit(
    { method, action }: Pick<Route, 'method' | 'action'>,
    { headers, address, slug, organization: id, collection: collectionId }: Arrival,
    { sender, hasSession }: Identified,
  ): Promise<Admission> {
    if (method !== 'get') (hasSession ? requireOwnPage : refuseForeignPage)(headers, configuration.baseUrl);
    if (action !== 'probe') throwAfter(limits.takeRequest(sender, { headers, address }));
    const isShown = (set: ResourceSet) => may(sender, action, set) || may(sender, 'read-state', set);
    const set = slug === undefined ? undefined : await sets.bySlug(parseSlug(slug), isShown);
    const isShownOrganization = (one: Organization) =>
      may(sender, action, readersOf(one)) || may(sender, 'read-organization', readersOf(one));
    const { collection, provider } =
      collectionId === undefined ? {} : await shownCollection(records, collectionId, isShownOrganization);
    const organization = id === undefined ? provider : await records.organizations.get(id, isShownOrganization);
    const guarded = organization === undefined ? set : readersOf(organization);
    if (!may(sender, action, guarded)) throw await refusal(action, sender, guarded);
    const takeBody = (bytes: number) => throwAfter(limits.takeBody(sender, bytes));
    if (method !== 'get') takeBody(0);
    return { sender, hasSession, set, organization, collection, takeBody };
  }
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
