import type { Request } from 'express';
import * as z from 'zod';
import type { Principal } from '../../../access/principal.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { boundaryAfter, boundaryBefore, type Stamp } from '../../../core/stamp.ts';
import { parseDatetime } from '../../../core/w3c-datetime.ts';
import { senderOf, setOf } from '../../request/admitted.ts';
import { time } from '../../request/query-parameters.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { setCaching } from '../../response/caching.ts';
import { ChangeStream } from './change-stream.ts';

/** Changes as they happen. @param stopping ends the streams when the server stops */
export function streamRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { feeds } = app.notifications;
  const { index, configuration } = app;

  return [
    get('/api/sets/:set/changes/stream', {
      action: 'read-state',
      id: 'streamChanges',
      tag: 'changes',
      summary: 'Sends each change as soon as it is recorded, as server-sent events',
      description: `Each event is named \`change\`: its data is a change as in the list of changes, and its id is the time of the change. The stream
begins with the id of where it begins. A client that sends the last id that it has read as the header \`Last-Event-ID\` goes
on after it. The stream ends after an hour, when the server stops, and when its sender may no longer read the set.`,
      query: z.strictObject({
        from: time('The time of the first change. Without it, the stream begins with the next one.'),
      }),
      headers: ['Last-Event-ID'],
      answers: [
        { status: 200, description: 'The changes, as they are recorded.', content: { 'text/event-stream': 'text' } },
      ],
      async handle(request, response, { from }) {
        const set = setOf(response);
        const sender = senderOf(response);
        const { hasSession = false } = response.locals;
        const after = beginningOf(request, from) ?? (await index.watermark());
        response.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
        setCaching(response, 'no-store');
        if (request.method === 'HEAD') {
          response.end();
          return;
        }
        const stream = new ChangeStream(response, {
          set,
          after: Math.max(after, set.epochStart),
          idleTimeoutMs: configuration.idleTimeoutMs,
          stopping,
          isAdmitted: async () =>
            (await isAdmitted(app, sender, set)) &&
            (!hasSession || (await app.access.sessions.tokenOf(request.headers.cookie)) !== undefined),
        });
        await feeds.follow(set.id, (feed) => stream.run(feed));
      },
    }),
  ];
}

/** The boundary up to which the client has read, or at which it wants to begin. @throws TidemarkError `invalid` */
function beginningOf({ headers }: Request, from: Stamp | undefined): Stamp | undefined {
  const last = headers['last-event-id'];
  if (last === undefined || last === '') return from === undefined ? undefined : boundaryBefore(from);
  const stamp = parseDatetime(String(last));
  if (typeof stamp === 'number') return boundaryAfter(stamp);
  const message = `Last-Event-ID is ${stamp}: send the id of an event of this stream`;
  throw new TidemarkError('invalid', message, { code: 'bad-event-id', header: 'Last-Event-ID' });
}

/** Whether a sender would be admitted now, to the set in the same epoch: in another epoch, its URIs differ. */
async function isAdmitted(
  { sets, access }: ServedApp,
  sender: Principal,
  { id, epoch }: ResourceSet,
): Promise<boolean> {
  const set = await sets.byId(id);
  if (set?.removed !== undefined || set?.epoch !== epoch) return false;
  return access.mayStill(sender, 'read-state', set);
}
