import type { FaultProxy } from './fault-proxy.ts';
import type { useOwnS3 } from './s3.ts';
import { refuseWith } from './s3-refusal.ts';

/** What happens to a server of S3, or on the way to it. Returns what ends it. */
export type GoAway = () => Promise<() => Promise<void>>;

/** @param proxyOf the proxy on the way to the server, when it is called */
export function waysToBeAway(
  s3: ReturnType<typeof useOwnS3>,
  proxyOf: () => FaultProxy,
): Readonly<Record<'answers 503' | 'hangs' | 'was killed', GoAway>> {
  return {
    'answers 503': async () => {
      const rule = proxyOf().on(() => true, refuseWith(503, 'SlowDown'));
      return async () => void rule.remove();
    },
    hangs: async () => {
      s3.server.pause();
      return async () => s3.server.resume();
    },
    'was killed': async () => {
      await s3.server.kill();
      return () => s3.server.start();
    },
  };
}
