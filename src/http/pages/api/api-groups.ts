import type { OpenApiDocument } from '../../openapi/openapi-document.ts';
import type { CalledOperation } from './curl-example.ts';

/** The operations of one tag, which have a page of their own. */
export interface ApiGroup {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly CalledOperation[];
}

/** All groups, without the pages for people. */
export function groupsOf(document: OpenApiDocument): readonly ApiGroup[] {
  const operations = operationsOf(document);
  return document.tags
    .map(({ name, description }) => ({
      name,
      title: name.charAt(0).toUpperCase() + name.slice(1),
      description,
      operations: operations.filter(({ operation }) => operation.tags.includes(name)),
    }))
    .filter(({ name, operations: its }) => its.length > 0 && name !== 'pages');
}

/** HEAD is left out: its response is that of GET. */
function operationsOf({ paths }: OpenApiDocument): readonly CalledOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({ method, path, operation })),
  );
}
