import { type Action, may } from '../../access/may.ts';
import { ANONYMOUS } from '../../access/principal.ts';
import type { Route } from '../request/route.ts';
import { describeContents } from './openapi-contents.ts';
import type { DescribedOperation } from './openapi-document.ts';
import { parametersOf } from './openapi-parameters.ts';
import { responsesOf } from './openapi-responses.ts';
import type { OpenApiSchemas } from './openapi-schemas.ts';

/** What a route does by its methods, in the words of OpenAPI 3.1. */
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

/** HEAD answers the same head, and no body. */
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

/** What is public for reading may be private for one set, and then needs a token: it is optional there. */
function securityOf(action: Action): readonly object[] {
  const token = [{ bearer: [] }, { basic: [] }];
  return may(ANONYMOUS, action, undefined) ? [{}, ...token] : token;
}
