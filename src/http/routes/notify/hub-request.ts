import { badHubRequest, requireSubscribable } from '../../../publish/notify/require-subscribable.ts';
import { leaseSecondsOf } from '../../../publish/notify/subscriptions.ts';

export interface HubRequest {
  readonly mode: 'subscribe' | 'unsubscribe';
  readonly topic: string;
  readonly callback: string;
  readonly leaseSeconds: number;
  readonly secret: string | undefined;
}

/** Parses a request to a hub (WebSub, 5.1). Unknown parameters are ignored. @throws TidemarkError `invalid` */
export function parseHubRequest(body: string): HubRequest {
  const form = new URLSearchParams(body);
  const mode = required(form, 'hub.mode');
  if (mode !== 'subscribe' && mode !== 'unsubscribe')
    throw badHubRequest('hub.mode', 'is neither subscribe nor unsubscribe');
  const secret = optional(form, 'hub.secret');
  const callback = required(form, 'hub.callback');
  requireSubscribable(callback, secret);
  return {
    mode,
    topic: required(form, 'hub.topic'),
    callback,
    leaseSeconds: leaseOf(optional(form, 'hub.lease_seconds')),
    secret: secret === '' ? undefined : secret,
  };
}

function leaseOf(text: string | undefined): number {
  if (text === undefined || text === '') return leaseSecondsOf(undefined);
  if (!/^[1-9]\d{0,11}$/.test(text)) throw badHubRequest('hub.lease_seconds', 'is not a whole number above 0');
  return leaseSecondsOf(Number(text));
}

function required(form: URLSearchParams, name: string): string {
  const value = optional(form, name);
  if (value === undefined || value === '') throw badHubRequest(name, 'is missing');
  return value;
}

function optional(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw badHubRequest(name, 'is given twice');
  return values[0];
}
