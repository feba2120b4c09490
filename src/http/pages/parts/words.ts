import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { type Html, html } from './html.ts';

const NUMBERS = new Intl.NumberFormat('en');
const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `1,234 changes`, and `1 change` for one. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${NUMBERS.format(count)} ${count === 1 ? one : many}`;
}

export function formatNumber(value: number): string {
  return NUMBERS.format(value);
}

/** How long ago a time was; both in milliseconds since 1970. */
export function formatAgo(time: number, now: number): string {
  const seconds = Math.round((now - time) / 1000);
  if (seconds < 5) return 'just now';
  for (const [unit, length] of UNITS) if (seconds >= length) return AGO.format(-Math.floor(seconds / length), unit);
  return AGO.format(-seconds, 'second');
}

/** A time as people read it, with the exact one beside it for programs and on hovering. */
export function timeElement(stamp: Stamp, now: number): Html {
  const exact = formatStamp(stamp);
  return html`<time datetime="${exact}" title="${exact}">${formatAgo(stamp / 1000, now)}</time>`;
}

/** `5 h 12 min` of milliseconds. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 1) return `${Math.round(milliseconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** `21 Nov 2026, 19:22:27 UTC`. @param time milliseconds since 1970 */
export function formatTime(time: number): string {
  const date = new Date(time);
  return `${DAY.format(date)}, ${date.toISOString().slice(11, 19)} UTC`;
}

/** A time that is to be read exactly, and how long ago it was. */
export function exactTime(stamp: Stamp, now: number): Html {
  const time = stamp / 1000;
  const exact = formatStamp(stamp);
  return html`<time datetime="${exact}" title="${exact}">${formatTime(time)}</time> <span class="quiet">(${formatAgo(time, now)})</span>`;
}
