import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Action } from '../../access/may.ts';
import { type RoutedResponse, senderText } from '../request/admitted.ts';
import { requestIdOf } from '../request/observation.ts';
import type { Route } from '../request/route.ts';

/** Parts of a path that name the subject of an action. */
const SUBJECTS = ['set', 'org', 'stream', 'activity', 'collection', 'number', 'name', 'kind', 'job', 'id'] as const;

const LOGGED: readonly Action[] = ['administer', 'manage-organization', 'manage-any'];

/**
 * Logs a line for every change by those who administer or manage, through a form or the API: the sender, the action and
 * its subject.
 */
export function logAdministration(logger: Logger, { method, action, operation }: Route): RequestHandler {
  const isLogged = LOGGED.includes(action) && method !== 'get';
  const did = operation.id.replace(/ByForm$/, '');
  return (request, response, next) => {
    if (isLogged) {
      response.once('close', () => {
        if (!response.headersSent || response.statusCode >= 400) return;
        const named = SUBJECTS.flatMap((name) => (request.params[name] === undefined ? [] : [request.params[name]]));
        const subject = subjectOf(response) ?? named.join('/');
        const by = senderText(response);
        logger.info(
          { requestId: requestIdOf(response), did, ...(subject !== '' && { subject }), by },
          `administration: ${[did, subject].join(' ').trim()}, by ${by}`,
        );
      });
    }
    next();
  };
}

function subjectOf({ locals }: Pick<RoutedResponse, 'locals'>): string | undefined {
  return locals.subject;
}
