import type { ResourceKey } from '../core/key.ts';
import type { Stamp } from '../core/stamp.ts';
import type { Limits, Piece } from './resource-states.ts';

/** The fields of a resource that a survey reads. A tombstone is not live, but its stamp counts. */
interface SurveyedResource {
  readonly key: ResourceKey;
  readonly stamp: Stamp;
  readonly weight: number;
  readonly live: boolean;
}

/** A page is filled only to nine tenths, so that the next key does not split it again. */
const FILL = 0.9;
const CELLS_PER_PIECE = 50;

/** Cuts resources in key order into even pieces. Reads them once, and stores only some fifty cells for each piece. */
export class PieceCutter {
  readonly #limits: Limits;
  readonly #cells: MutablePiece[];

  constructor(from: ResourceKey | undefined, limits: Limits) {
    this.#limits = limits;
    this.#cells = [emptyPiece(from)];
  }

  /** Call it with resources in key order. */
  add(resource: SurveyedResource): void {
    const { entries, weight } = this.#limits;
    addToCells(this.#cells, resource, {
      entries: Math.ceil(entries / CELLS_PER_PIECE),
      weight: weight / CELLS_PER_PIECE,
    });
  }

  pieces(): readonly Piece[] {
    return mergeEvenly(this.#cells, this.#limits);
  }
}

type MutablePiece = { -readonly [Field in keyof Piece]: Piece[Field] };

function emptyPiece(from: ResourceKey | undefined): MutablePiece {
  return { from, last: undefined, entries: 0, weight: 0, newest: 0 };
}

function addToCells(cells: MutablePiece[], { key, stamp, weight, live }: SurveyedResource, limits: Limits): void {
  let cell = cells.at(-1)!;
  if (live && cell.entries > 0 && exceeds(cell, { entries: 1, weight }, limits)) {
    cell = emptyPiece(key);
    cells.push(cell);
  }
  cell.newest = Math.max(cell.newest, stamp);
  if (!live) return;
  cell.last = key;
  cell.entries += 1;
  cell.weight += weight;
}

/** Merges adjacent cells until a piece has its share of the total. */
function mergeEvenly(cells: readonly MutablePiece[], limits: Limits): readonly Piece[] {
  const total = {
    entries: cells.reduce((sum, { entries }) => sum + entries, 0),
    weight: cells.reduce((sum, { weight }) => sum + weight, 0),
  };
  if (total.entries <= limits.entries && total.weight <= limits.weight) return [merge(cells)];
  const count = Math.ceil(Math.max(total.entries / limits.entries, total.weight / limits.weight) / FILL);
  const share = { entries: total.entries / count, weight: Math.max(total.weight / count, limits.weight / 2) };
  const pieces: MutablePiece[][] = [[]];
  let reached = 0;
  for (const cell of cells) {
    const piece = pieces.at(-1)!;
    const sum = merge(piece);
    if (
      piece.length > 0 &&
      (reached >= share.entries * pieces.length || exceeds(sum, cell, limits) || sum.weight >= share.weight)
    ) {
      pieces.push([cell]);
    } else piece.push(cell);
    reached += cell.entries;
  }
  return pieces.map(merge);
}

function merge(cells: readonly MutablePiece[]): Piece {
  const merged = emptyPiece(cells[0]?.from);
  for (const { last, entries, weight, newest } of cells) {
    merged.last = last ?? merged.last;
    merged.entries += entries;
    merged.weight += weight;
    merged.newest = Math.max(merged.newest, newest);
  }
  return merged;
}

function exceeds(piece: Piece, more: { readonly entries: number; readonly weight: number }, limits: Limits): boolean {
  return piece.entries + more.entries > limits.entries || piece.weight + more.weight > limits.weight;
}
