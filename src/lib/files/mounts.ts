import { lstatSync, readFileSync, readlinkSync } from 'node:fs';

interface Mount {
  /** Major and minor number. */
  readonly device: string;
  /** Whether it is a disk or the memory of this machine, which answers in any case. */
  readonly isLocal: boolean;
}

const LOCAL_TYPES: ReadonlySet<string> = new Set(
  'ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs vfat exfat squashfs overlay tmpfs ramfs devtmpfs'.split(' '),
);
const TABLE = '/proc/self/mountinfo';
/** Milliseconds for which a table of mounts is used. */
const FRESH_MS = 1_000;
/** As on Linux: more links are taken for a loop. */
const MOST_LINKS = 40;

let known: { readonly mounts: ReadonlyMap<string, Mount> | undefined; readonly readAt: number } | undefined;

/**
 * The device of the file system that an absolute path is on, as of at most a second ago. Links are followed on local
 * disks only, and no other file system is touched: one on a network may hang. Undefined where the system has no table
 * of mounts.
 */
export function deviceOf(path: string): string | undefined {
  const mounts = currentMounts();
  return mounts && mountOf(path, mounts)?.device;
}

function mountOf(path: string, mounts: ReadonlyMap<string, Mount>): Mount | undefined {
  const names = path.split('/').reverse();
  let at = '';
  let mount = mounts.get('/');
  for (let links = 0; names.length > 0 && mount?.isLocal; ) {
    const name = names.pop()!;
    if (name === '' || name === '.') continue;
    const below = name === '..' ? parentOf(at) : `${at}/${name}`;
    // Nothing is mounted at a link.
    const text = name === '..' || mounts.has(below) ? undefined : linkAt(below);
    if (text === undefined) at = below;
    else {
      links += 1;
      if (links > MOST_LINKS) return mount;
      if (text.startsWith('/')) at = '';
      names.push(...text.split('/').reverse());
    }
    mount = nearest(at, mounts);
  }
  return mount;
}

function nearest(path: string, mounts: ReadonlyMap<string, Mount>): Mount | undefined {
  for (let at = path; at !== ''; at = parentOf(at)) {
    const found = mounts.get(at);
    if (found !== undefined) return found;
  }
  return mounts.get('/');
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Undefined when no link is there. */
function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function currentMounts(): ReadonlyMap<string, Mount> | undefined {
  const now = performance.now();
  if (known === undefined || now - known.readAt > FRESH_MS) known = { mounts: readMounts(), readAt: now };
  return known.mounts;
}

/** By path. Of several at one path, the last one is seen. */
function readMounts(): ReadonlyMap<string, Mount> | undefined {
  try {
    return new Map(readFileSync(TABLE, 'utf8').trim().split('\n').map(parseLine));
  } catch {
    return undefined;
  }
}

/** A line such as `36 35 98:0 /of/device /at rw,noatime master:1 - ext3 /dev/root rw`: see proc_pid_mountinfo(5). */
function parseLine(line: string): readonly [path: string, mount: Mount] {
  const [before, after] = line.split(' - ');
  const [, , device, , path] = before!.split(' ');
  const type = after!.split(' ', 1)[0]!;
  const unescaped = path!.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return [unescaped, { device: device!, isLocal: LOCAL_TYPES.has(type) }];
}
