import type { Logger } from 'pino';
import type { App } from '../../app.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { Subscription } from '../../publish/notify/subscriptions.ts';

/** Delivers changes to subscribers in this process, when no other process of the store does so. */
export function runDeliveries(
  { notifications: { deliverer }, metrics }: App,
  logger: Logger,
): { stop(): Promise<void> } {
  deliverer.start({
    onOwner: (isOwner) =>
      logger.debug(isOwner ? 'this process delivers to subscribers' : 'this process delivers no more'),
    onConfirmed: (subscription) => logger.info(fieldsOf(subscription), 'a subscription was confirmed'),
    onEnded: (subscription, reason) => logger.info({ ...fieldsOf(subscription), reason }, 'a subscription has ended'),
    onDelivery: (outcome, seconds) => metrics.notifications.delivered(outcome, seconds),
    onTrouble: (error) => {
      const code = isTidemarkError(error) ? error.code : undefined;
      logger.error({ code, err: error }, 'deliveries to subscribers wait for the store');
    },
  });
  return { stop: () => deliverer.stop() };
}

/** Only the host is logged: a client that knows the address of a callback can send to it. */
function fieldsOf({ id, topic, callback }: Subscription) {
  return { subscription: id, topic, host: new URL(callback).host };
}
