import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../access/principal.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { ListedRequest } from '../../datasets/results/request-list.ts';
import type { Collection } from '../../records/collections/collection.ts';
import type { Organization } from '../../records/organization.ts';
import type { DirectRequest } from './direct-request.ts';

/** What is known of a request while it is processed. Express has an object for this. */
export interface Locals {
  sender?: Principal;
  /** Whether the sender was identified by the cookie of a session. */
  hasSession?: boolean;
  /** The set in the path. */
  set?: ResourceSet | undefined;
  /** The organization in the path. */
  organization?: Organization | undefined;
  /** The collection in the path; then its provider is the organization. */
  collection?: Collection | undefined;
  /** The request of a dataset in the path; then its set is the set. */
  dataset?: ListedRequest | undefined;
  /** Whether the response is for its sender alone. */
  isPrivate?: boolean;
  /** The created object, for the log: the path does not contain it. */
  subject?: string;
}

/** A request of express. */
export type RoutedRequest = IncomingMessage & { readonly params: Readonly<Record<string, string | string[]>> };

/** A response of express. */
export type RoutedResponse = ServerResponse & { readonly locals: Locals };

/** A part of the path, decoded. */
export function param({ params }: Pick<RoutedRequest, 'params'>, name: string): string {
  const value = params[name];
  return Array.isArray(value) ? value.join('/') : (value ?? '');
}

/** The set in the path; only for routes with `:set`. */
export function setOf({ locals }: Pick<RoutedResponse, 'locals'>): ResourceSet {
  return locals.set as ResourceSet;
}

/** The organization in the path, or the provider of the collection; only for routes with `:org` or `:collection`. */
export function organizationOf({ locals }: Pick<RoutedResponse, 'locals'>): Organization {
  return locals.organization as Organization;
}

/** The collection in the path; only for routes with `:collection`. */
export function collectionOf({ locals }: Pick<RoutedResponse, 'locals'>): Collection {
  return locals.collection as Collection;
}

/** The request of a dataset in the path; only for routes with `:dataset`. */
export function datasetOf({ locals }: Pick<RoutedResponse, 'locals'>): ListedRequest {
  return locals.dataset as ListedRequest;
}

/** The sender of the request. */
export function senderOf({ locals }: Pick<RoutedResponse, 'locals'>): Principal {
  return locals.sender as Principal;
}

/** The sender of a request, without secrets: for logs. */
export function senderText(response: Pick<RoutedResponse, 'locals'>): string {
  const sender = senderOf(response);
  const name = sender.kind === 'token' ? `token ${sender.name} (${sender.id})` : sender.kind;
  return response.locals.hasSession === true ? `${name}, signed in` : name;
}

/** Converts a request of express for a direct handler. */
export function directRequest(request: RoutedRequest, response: RoutedResponse): DirectRequest {
  const { method, url = '', headers, params } = request;
  return { method, url, headers, params, sender: senderOf(response), set: response.locals.set };
}
