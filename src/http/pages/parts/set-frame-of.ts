import type { Request, Response } from 'express';
import { may } from '../../../access/may.ts';
import { senderOf, setOf } from '../../request/admitted.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { frameOf } from './frame-of.ts';
import { type SetFrame, TABS, type Tab } from './set-frame.ts';

/** The frame of a page of a set, from the request that it responds to. */
export async function setFrameOf(
  app: ServedApp,
  { request, response }: { readonly request: Request; readonly response: Response },
  tab: Tab | undefined,
): Promise<SetFrame> {
  const set = setOf(response);
  const open = TABS.filter(({ action }) => may(senderOf(response), action, set)).map((one) => one.tab);
  const frame = await frameOf(app, request, response);
  const unread = frame.viewer.isAdministrator ? app.metrics.scans.unreadOf(set.id) : undefined;
  return { frame, set, tab, open, unread };
}
