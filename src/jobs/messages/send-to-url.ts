import { createHmac } from 'node:crypto';
import { TidemarkError } from '../../core/errors.ts';
import { CallbackClient } from '../../publish/notify/callback-client.ts';

interface Target {
  readonly url: string;
  readonly secret?: string | undefined;
  /** Private networks that may be requested, as addresses or in CIDR notation. */
  readonly networks: readonly string[];
}

/** Posts JSON, signed as notifications are (WebSub, 7.1). @throws TidemarkError `unavailable` unless it was accepted */
export async function sendToUrl({ url, secret, networks }: Target, value: object, signal: AbortSignal): Promise<void> {
  const client = new CallbackClient(networks);
  const body = Buffer.from(JSON.stringify(value));
  const signature = secret && createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'Content-Type': 'application/json',
    ...(signature && { 'X-Hub-Signature': `sha256=${signature}` }),
  };
  const answer = await client.send(url, { method: 'POST', headers, body, signal }).finally(() => client.close());
  signal.throwIfAborted();
  if ('status' in answer && answer.status >= 200 && answer.status < 300) return;
  const problem = 'failure' in answer ? answer.failure : `it answers with the status ${answer.status}`;
  throw new TidemarkError('unavailable', `${new URL(url).origin} did not take the message: ${problem}`);
}
