import { TAGS } from '../request/operation.ts';
import type { Route } from '../request/route.ts';
import type { DescribedOperation, OpenApiDocument } from './openapi-document.ts';
import { describeRoute } from './openapi-operations.ts';
import { pathTemplate } from './openapi-parameters.ts';
import { sharedResponses } from './openapi-responses.ts';
import { OpenApiSchemas } from './openapi-schemas.ts';

const DESCRIPTION = `A source of ResourceSync (ANSI/NISO Z39.99-2017): the current state of sets of resources, and every change.

Times are W3C datetimes and lengths are bytes. A GET is answered to HEAD as well, without the body. A method that a path does not
have is answered with 405, and the header Allow lists those that it has. All errors are JSON of one shape; outside of
/api/, they are a page for clients that prefer HTML.`;

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

interface OpenApiOptions {
  readonly version: string;
  readonly baseUrl: string;
}

/** The description of all routes in OpenAPI 3.1, derived from the schemas that check their requests. */
export function openApi(routes: readonly Route[], { version, baseUrl }: OpenApiOptions): OpenApiDocument {
  const schemas = new OpenApiSchemas();
  const paths: Record<string, Readonly<Record<string, DescribedOperation>>> = {};
  for (const route of routes) {
    const path = pathTemplate(route.path);
    paths[path] = { ...paths[path], ...describeRoute(route, schemas) };
  }
  const responses = sharedResponses(schemas);
  return {
    openapi: '3.1.1',
    info: { title: 'Tidemark', version, description: DESCRIPTION, license: LICENSE },
    servers: [{ url: baseUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: schemas.components, responses, securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of `tidemark tokens create`.' },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Any name, and the token as password: for browsers and old clients.',
  },
};
