import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { changeView, resourceView } from '../../../api/resource-view.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { csvRow } from '../../../lib/csv.ts';
import { setOf } from '../../request/admitted.ts';
import { NO_PARAMETERS } from '../../request/operation.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { cachingHeaders } from '../../response/caching.ts';

const DESCRIPTION =
  'UTF-8 with a line of names, streamed: the connection is cut when something fails on the way. A text that a spreadsheet would take for a formula has an apostrophe before it.';

const STATE = ['lastmod', 'length', 'mime', 'sha-256', 'sha-1', 'md5'] as const;

/** Tables for spreadsheets. */
export function csvRoutes({ index, configuration: { idleTimeoutMs } }: ServedApp): readonly Route[] {
  async function* resources(set: ResourceSet) {
    yield csvRow(['uri', 'changed', 'created', ...STATE]);
    for await (const batch of index.read(set.id, {})) {
      yield batch
        .map((resource) => {
          const view = resourceView(set, resource);
          return csvRow([view.uri, view.changed, view.created, ...stateCells(view)]);
        })
        .join('');
    }
  }

  async function* changes(set: ResourceSet) {
    yield csvRow(['datetime', 'change', 'uri', ...STATE]);
    for await (const batch of index.changes(set.id, { after: set.epochStart, until: undefined })) {
      yield batch
        .map((change) => {
          const view = changeView(set, change);
          return csvRow([view.datetime, view.change, view.uri, ...stateCells(view)]);
        })
        .join('');
    }
  }

  const send = async (request: Request, response: Response, { name, lines }: Csv) => {
    const set = setOf(response);
    response.set({
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${set.slug}-${name}.csv"`,
      ...cachingHeaders({ control: 'no-store', isPrivate: set.private === true }),
    });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    // A client that reads nothing must not occupy a reader of the store.
    response.setTimeout(idleTimeoutMs, () => response.destroy());
    await pipeline(lines(set), response);
  };

  return [
    get('/api/sets/:set/resources.csv', {
      action: 'read-state',
      id: 'resourcesAsCsv',
      tag: 'sets',
      summary: 'All resources that are live, as CSV, in the order of their keys',
      description: DESCRIPTION,
      query: NO_PARAMETERS,
      answers: [{ status: 200, description: 'A line for each resource.', content: { 'text/csv': 'text' } }],
      handle: (request, response) => send(request, response, { name: 'resources', lines: resources }),
    }),
    get('/api/sets/:set/changes.csv', {
      action: 'read-state',
      id: 'changesAsCsv',
      tag: 'changes',
      summary: 'All changes, as CSV, oldest first',
      description: DESCRIPTION,
      query: NO_PARAMETERS,
      answers: [{ status: 200, description: 'A line for each change.', content: { 'text/csv': 'text' } }],
      handle: (request, response) => send(request, response, { name: 'changes', lines: changes }),
    }),
  ];
}

interface Csv {
  readonly name: string;
  lines(set: ResourceSet): AsyncIterable<string>;
}

interface ShownState {
  readonly lastmod?: string | undefined;
  readonly length?: number | undefined;
  readonly mime?: string | undefined;
  readonly hashes?: { readonly [Name in 'sha-256' | 'sha-1' | 'md5']?: string | undefined } | undefined;
}

function stateCells({ lastmod, length, mime, hashes = {} }: ShownState) {
  return [lastmod, length, mime, hashes['sha-256'], hashes['sha-1'], hashes.md5];
}
