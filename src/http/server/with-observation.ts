import type { RequestListener } from 'node:http';
import { observe } from '../request/observation.ts';
import type { RequestObserver } from './request-observer.ts';

/**
 * Gives each request of node:http an id, measures its duration, and logs it. It wraps everything else, so that no
 * request is missed: not refused ones, nor those whose client disconnected.
 */
export function withObservation(listener: RequestListener, observer: RequestObserver): RequestListener {
  return (request, response) => {
    const observation = observe(request, response);
    const { socket, method, url = '' } = request;
    observer.begin();
    response.on('close', () => {
      // A request that was cut off before a response has no status.
      const status = response.headersSent ? response.statusCode : 0;
      const isAborted = !response.writableFinished;
      observer.end(observation, { method, url, status, sent: observer.bytesSince(socket), isAborted });
    });
    listener(request, response);
  };
}
