import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { ActivityCounter } from './activity-counter.ts';
import { ask, connect } from './connection.ts';
import { findDamage } from './find-damage.ts';
import { KeyFinder } from './key-finder.ts';
import { StateReader } from './state-reader.ts';
import type { CountRequest, FindRequest, StatesRequest } from './wire.ts';

/** The thread that queries many rows, so that they do not block the HTTP thread. */
const { file } = workerData as { file: string };
const database = connect(file);
const finder = new KeyFinder(database);
const counter = new ActivityCounter(database);
const reader = new StateReader(database);

const functions = {
  find: (request: FindRequest) => ask(file, () => finder.find(request)),
  count: (request: CountRequest) => ask(file, () => counter.count(request)),
  findDamage: () => ask(file, () => findDamage(database)),
  states: (request: StatesRequest) => ask(file, () => reader.next(request)),
};
export type ReaderFunctions = typeof functions;

serveCalls(functions, () => database.close());
