import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { ResourceSet } from '../../core/resource-set.ts';
import { ATOM, FEED_NAME, renderAtomFeed } from '../../publish/atom-feed.ts';
import { senderOf, setOf } from '../request/admitted.ts';
import type { Answer } from '../request/answer.ts';
import { HttpError } from '../request/http-error.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { cachingHeaders } from '../response/caching.ts';
import { type Validators, weighConditions } from '../response/conditional-request.ts';
import { notModified } from '../response/not-modified.ts';
import { openToScripts } from '../response/open-to-scripts.ts';
import { sendAnswer } from '../response/send-answer.ts';
import { XML_POLICY } from '../response/xml-policy.ts';

const MOST_ENTRIES = 100;

/** The changes of a set for feed readers. */
export function feedRoutes({ index, configuration: { baseUrl, idleTimeoutMs } }: ServedApp): readonly Route[] {
  async function answer(request: Request, set: ResourceSet, open: Readonly<Record<string, string>>): Promise<Answer> {
    const changes = await index.latest(set.id, { after: set.epochStart, limit: MOST_ENTRIES });
    const body = Buffer.from(renderAtomFeed(set, changes, baseUrl));
    const validators = validatorsOf(body, changes[0]?.stamp ?? 0);
    const known: Record<string, string> = {
      ETag: validators.etag,
      ...cachingHeaders({ control: 'no-cache', isPrivate: set.private === true }),
      ...open,
    };
    if (validators.lastModified !== undefined) {
      known['Last-Modified'] = new Date(validators.lastModified * 1000).toUTCString();
    }
    const precondition = weighConditions(request.headers, validators);
    if (precondition === 'not-modified') return notModified(known);
    if (precondition === 'failed') {
      throw new HttpError(412, { code: 'precondition-failed', message: 'the feed has another version' });
    }
    known['Content-Type'] = `${ATOM}; charset=utf-8`;
    known['Content-Security-Policy'] = XML_POLICY;
    known['Content-Length'] = String(body.length);
    return { status: 200, headers: known, body: request.method === 'HEAD' ? undefined : body };
  }

  return [
    get(`/sets/:set/${FEED_NAME}`, {
      action: 'read-state',
      id: 'changesFeed',
      tag: 'changes',
      summary: 'The newest changes, as an Atom feed for feed readers',
      description: `At most ${MOST_ENTRIES}, newest first. Programs that must not miss a change read the Change List, or the changes as JSON.`,
      isConditional: true,
      answers: [{ status: 200, description: 'The feed (RFC 4287).', content: { [ATOM]: 'text' } }],
      async handle(request, response) {
        const set = setOf(response);
        const open = openToScripts({ sender: senderOf(response) }, set.private === true);
        await sendAnswer(response, await answer(request, set, open), idleTimeoutMs);
      },
    }),
  ];
}

/** Two versions may have the same second, and the title may change: so the date alone identifies no version. */
function validatorsOf(body: Buffer, newest: number): Validators {
  return {
    etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`,
    lastModified: newest === 0 ? undefined : Math.floor(newest / 1_000_000),
    dateTellsVersions: false,
  };
}
