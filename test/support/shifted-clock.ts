/** Preloaded into a process, shows it and its threads another time: `CLOCK_OFFSET` in milliseconds, positive for a clock that is ahead. */
const offset = Number(process.env.CLOCK_OFFSET ?? 0);
const now = (): number => TrueDate.now() + offset;
const TrueDate = Date;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
