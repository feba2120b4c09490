import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { formatAgo } from '../../../lib/format-ago.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type Html, html } from './html.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A message of an error as a sentence for users. It may begin with a URL, which keeps its small letters. */
export function sentence(message: string): string {
  const begin = /^https?:/.test(message) ? message : message.slice(0, 1).toUpperCase() + message.slice(1);
  return `${begin}${message.endsWith('?') ? '' : '.'}`;
}

/** `1,234 changes`, or `1 change` for one. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A time in words, with the exact time for programs and on hovering. */
export function timeElement(stamp: Stamp, now: number): Html {
  const exact = formatStamp(stamp);
  return html`<time datetime="${exact}" title="${exact}">${formatAgo(stamp / 1000, now)}</time>`;
}

/** A past or future time. */
export function timeOf(text: string | undefined, now: number): Html | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  const words = time > now ? `in ${formatDuration(time - now)}` : formatAgo(time, now);
  return html`<time datetime="${text}" title="${text}">${words}</time>`;
}

/** Formats milliseconds as `5 h 12 min`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 1) return `${Math.round(milliseconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

/** `21 Nov 2026, 19:22:27 UTC`. @param time milliseconds since 1970 */
export function formatTime(time: number): string {
  const date = new Date(time);
  return `${formatDate(date)}, ${date.toISOString().slice(11, 19)} UTC`;
}

/** `21 Nov 2026`, in UTC. */
export function formatDate(date: Date): string {
  return `${formatDay(date)} ${date.getUTCFullYear()}`;
}

/** `19:22:27` in UTC, with the exact time beside it for programs and on hovering. */
export function clockTime(stamp: Stamp): Html {
  const exact = formatStamp(stamp);
  return html`<time datetime="${exact}" title="${exact}">${exact.slice(11, 19)}</time>`;
}

/** `21 Nov`, in UTC. */
export function formatDay(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** `19:22`, in UTC. */
export function formatClock(date: Date): string {
  return date.toISOString().slice(11, 16);
}

/** An exact time, and how long ago it was. */
export function exactTime(stamp: Stamp, now: number): Html {
  const time = stamp / 1000;
  const exact = formatStamp(stamp);
  return html`<time datetime="${exact}" title="${exact}">${formatTime(time)}</time> <span class="quiet">(${formatAgo(time, now)})</span>`;
}
