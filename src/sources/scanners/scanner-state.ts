import type { SetId } from '../../core/resource-set.ts';

/** A process that scans sets. */
export interface ScannerMember {
  /** Differs for each process. */
  readonly id: string;
  /** Host and process id, for operators. */
  readonly name: string;
  /** What its sets are chosen by: the same after a restart, so that it gets the sets that its data folder remembers. */
  readonly seat: string;
  /** The system that it runs on, if known: two members of one system can see whether each other's process exists. */
  readonly system?: string | undefined;
  readonly pid: number;
  /** Rises with each heartbeat. */
  readonly beat: number;
  /** It has stopped all sets that are not its own in this epoch. */
  readonly seen: number;
  /** Sets that it gets before others. */
  readonly wants: readonly SetId[];
  /** Whether it scans only what it wants: it is a command. */
  readonly isCommand?: boolean | undefined;
  /** Sets whose roots it cannot read. */
  readonly cannotRead: readonly SetId[];
}

/** The document of the catalog. It is replaced by compare-and-set only. */
export interface ScannerState {
  /** Rises whenever the owner of a set may change. The events of scans have it as their position. */
  readonly epoch: number;
  /** Whether a post of an earlier member may still arrive: it was removed, or an answer was lost. */
  readonly isUnclean: boolean;
  readonly members: readonly ScannerMember[];
}

export const NO_SCANNERS: ScannerState = { epoch: 0, isUnclean: false, members: [] };

/**
 * The state in the next epoch. An epoch is never below the seconds since 1970: so it rises even when the document was
 * lost with its store, and the log that was archived still has its positions.
 */
export function inNextEpoch(state: ScannerState): ScannerState {
  return { ...state, epoch: Math.max(state.epoch + 1, Math.floor(Date.now() / 1000)) };
}

/** The state without some members that have not left by themselves. */
export function withoutSilent(state: ScannerState, silent: ReadonlySet<string>): ScannerState {
  const members = state.members.filter(({ id }) => !silent.has(id));
  if (members.length === state.members.length) return state;
  return inNextEpoch({ ...state, isUnclean: true, members });
}

/** The state with a member in place of an earlier state of it, or added. */
export function withMember(state: ScannerState, member: ScannerMember): ScannerState {
  const isKnown = state.members.some(({ id }) => id === member.id);
  const replaced = state.members.map((one) => (one.id === member.id ? member : one));
  return { ...state, members: isKnown ? replaced : [...replaced, member] };
}

/** Whether every member has stopped what it does not own: sets may be begun. */
export function isSettled({ epoch, members }: ScannerState): boolean {
  return members.every(({ seen }) => seen >= epoch);
}

/**
 * The member that scans a set: a command for it, otherwise one that wants it, otherwise one that can read it, otherwise
 * any. The first of those that want it, and the one with the highest hash of the others: when a member joins or leaves,
 * only its own sets get another owner. Undefined when only commands run, for other sets.
 */
export function ownerOf(set: SetId, { members }: ScannerState): ScannerMember | undefined {
  const wanting = members.filter(({ wants }) => wants.includes(set));
  const first = wanting.find(({ isCommand }) => isCommand === true) ?? wanting[0];
  if (first !== undefined) return first;
  const servers = members.filter(({ isCommand }) => isCommand !== true);
  const able = servers.filter(({ cannotRead }) => !cannotRead.includes(set));
  return highest(set, able.length > 0 ? able : servers);
}

/** Whether no process scans the set, or none can read its root. */
export function isUnread(set: SetId, state: ScannerState): boolean {
  return ownerOf(set, state)?.cannotRead.includes(set) ?? true;
}

function highest(set: SetId, members: readonly ScannerMember[]): ScannerMember | undefined {
  let best: { readonly member: ScannerMember; readonly hash: number } | undefined;
  for (const member of members) {
    const hash = hashOf(`${member.seat} ${set}`);
    const isHigher = best === undefined || hash > best.hash || (hash === best.hash && member.id > best.member.id);
    if (isHigher) best = { member, hash };
  }
  return best?.member;
}

/** FNV-1a, with the last step of MurmurHash3: without it, similar texts have similar high bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
