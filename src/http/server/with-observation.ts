import type { RequestListener } from 'node:http';
import { observe } from '../request/observation.ts';
import type { RequestObserver } from './request-observer.ts';

/**
 * Gives each request of node:http an id, measures how long it takes, and logs it. It wraps everything that answers, so
 * that nothing is left out: requests that were refused, and those whose client went away.
 */
export function withObservation(listener: RequestListener, observer: RequestObserver): RequestListener {
  return (request, response) => {
    const observation = observe(request, response);
    const { socket, method, url = '' } = request;
    observer.begin();
    response.on('close', () => {
      // What was cut off before anything was answered has no status.
      const status = response.headersSent ? response.statusCode : 0;
      const isAborted = !response.writableFinished;
      observer.end(observation, { method, url, status, sent: observer.bytesSince(socket), isAborted });
    });
    listener(request, response);
  };
}
