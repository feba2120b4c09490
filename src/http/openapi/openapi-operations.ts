import { type Action, may } from '../../access/may.ts';
import { ANONYMOUS } from '../../access/principal.ts';
import type { Route } from '../request/route.ts';
import { describeContents } from './openapi-contents.ts';
import type { DescribedOperation } from './openapi-document.ts';
import { parametersOf } from './openapi-parameters.ts';
import { responsesOf } from './openapi-responses.ts';
import type { OpenApiSchemas } from './openapi-schemas.ts';

/** The operations of a route, by method, in OpenAPI 3.1. */
export function describeRoute(route: Route, schemas: OpenApiSchemas): Readonly<Record<string, DescribedOperation>> {
  const described = describeOperation(route, schemas);
  return route.method === 'get' ? { get: described, head: headOf(described) } : { [route.method]: described };
}

function describeOperation(route: Route, schemas: OpenApiSchemas): DescribedOperation {
  const { id, tag, summary, description, body } = route.operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(route.action),
    parameters: parametersOf(route, schemas),
    ...(body !== undefined && { requestBody: { required: true, content: describeContents(body, 'input', schemas) } }),
    responses: responsesOf(route, schemas),
  };
}

/** A HEAD has the same head as the GET, without a body. */
function headOf({ operationId, summary, responses, ...rest }: DescribedOperation): DescribedOperation {
  const heads = Object.entries(responses).map(([status, response]) => {
    if ('$ref' in response) return [status, response];
    const { content: _none, ...head } = response;
    return [status, head];
  });
  return {
    ...rest,
    operationId: `${operationId}Head`,
    summary: `${summary} (only the head)`,
    responses: Object.fromEntries(heads),
  };
}

/** Documents that are generally public may be private for one set, and then need a token: so the token is optional. */
function securityOf(action: Action): readonly object[] {
  const token = [{ bearer: [] }, { basic: [] }];
  return may(ANONYMOUS, action, undefined) ? [{}, ...token] : token;
}
