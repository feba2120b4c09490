import { readFileSync } from 'node:fs';

/**
 * Preloaded into a process, shows it and its threads another time: ahead by the milliseconds of `CLOCK_OFFSET`, or by
 * those that the file `CLOCK_OFFSET_FILE` has at that time.
 */
const offset = Number(process.env.CLOCK_OFFSET ?? 0);
const file = process.env.CLOCK_OFFSET_FILE;
const now = (): number => TrueDate.now() + (file === undefined ? offset : Number(readFileSync(file, 'utf8')));
const TrueDate = Date;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
