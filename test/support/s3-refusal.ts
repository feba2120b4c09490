import type { Answered, Asked, Fault } from './fault-proxy.ts';

/** An answer of S3 that is an error. */
export function s3Refusal(status: number, code: string): Answered {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>for a test</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) };
}

export function refuseWith(status: number, code: string): Fault {
  return async () => s3Refusal(status, code);
}

/** Whether a bucket is to be listed. */
export function isList({ method, path }: Asked): boolean {
  return method === 'GET' && path.includes('list-type=2');
}
