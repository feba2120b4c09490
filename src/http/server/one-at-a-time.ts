import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests that may wait on a connection: no known client sends as many without reading responses. */
const MOST_WAITING = 200;

/**
 * Handles pipelined requests of a connection one after the other, each when the system has accepted the response before
 * it. Node would begin all of them at once: one packet can contain a thousand requests, and their responses would be in
 * memory together. A connection with too many waiting requests is closed.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** The waiting requests of each connection that has a current one. */
  const queues = new WeakMap<Socket, (() => void)[]>();

  return (request, response) => {
    const { socket } = request;
    const handle = (): void => {
      listener(request, response);
      // Registered last: what observes the end of this request comes before the next one.
      response.once('close', () => {
        const next = queues.get(socket)?.shift();
        if (next === undefined || socket.destroyed) queues.delete(socket);
        else next();
      });
    };
    const queue = queues.get(socket);
    if (queue === undefined) {
      queues.set(socket, []);
      handle();
    } else if (queue.length < MOST_WAITING) queue.push(handle);
    else socket.destroy();
  };
}
