import { planArchive, planArchivePart, readClosedWindows } from '../archive-documents.ts';
import { ChangeLists } from '../change-lists.ts';
import { planChangeTopic, planFrameworkTopic } from '../topics.ts';
import type { SetRow } from './row.ts';

/** Documents of changes: Change Lists, and the topics of notifications. */
export const CHANGE_LIST_ROWS = {
  changeTopic: {
    of: 'set',
    path: '/sets/:set/notifications.xml',
    operation: { id: 'changeTopic', summary: 'The topic to subscribe to, of the changes of a set' },
    page: { title: 'Topic of the set', purpose: 'Programs subscribe to it, and are sent every change.' },
    entries: 'changes',
    isTopic: true,
    isEarly: true,
    plan: planChangeTopic,
  },
  frameworkTopic: {
    of: 'set',
    path: '/sets/:set/framework-notifications.xml',
    operation: { id: 'frameworkTopic', summary: 'The topic to subscribe to, of the documents of a set' },
    page: { title: 'Topic of the documents', purpose: 'Programs subscribe to it, to learn of new lists and dumps.' },
    entries: 'documents',
    isTopic: true,
    isEarly: true,
    plan: planFrameworkTopic,
  },
  changeList: {
    of: 'set',
    path: '/sets/:set/changelist.xml',
    operation: { id: 'changeList', summary: 'The Change List, or its index; or the changes between two times' },
    takesRange: true,
    hasStream: true,
    listed: { title: 'Change List', purpose: 'Every change since the history began, in order.' },
    page: {
      title: 'Change List',
      purpose: 'Changes, in the order in which they happened.',
      ofIndex: 'Every change, in the order in which it happened, in several documents.',
    },
    entries: 'changes',
    capability: { name: 'changelist', label: 'Change List: every change in order' },
    plan: ({ index, published, range }) =>
      range === undefined ? new ChangeLists(index).list(published) : new ChangeLists(index).between(published, range),
  },
  recentChanges: {
    of: 'set',
    path: '/sets/:set/changelist-recent.xml',
    operation: { id: 'recentChangeList', summary: 'The latest changes, always one list' },
    listed: { title: 'Recent changes', purpose: 'The latest changes in one list, to stay in sync.' },
    page: { title: 'Change List', purpose: 'Changes, in the order in which they happened.' },
    entries: 'changes',
    plan: ({ index, published }) => new ChangeLists(index).recent(published),
  },
  changeListArchive: {
    of: 'set',
    path: '/sets/:set/changelist-archive.xml',
    operation: {
      id: 'changeListArchive',
      summary: 'The finished parts of the Change List, or an index when there are more than 50,000',
    },
    listed: { title: 'Change List Archive', purpose: 'Every finished part of the Change List, the oldest first.' },
    page: {
      title: 'Change List Archive',
      purpose: 'Every part of the Change List that is finished, the oldest first.',
      ofIndex: 'Every part of the Change List that is finished, in several documents.',
    },
    entries: 'documents',
    capability: { name: 'changelist-archive', label: 'Change List Archive: its finished parts' },
    plan: async ({ index, published }) => planArchive(published, await readClosedWindows(index, published)),
  },
  changeListArchivePart: {
    of: 'set',
    path: '/sets/:set/changelist-archive-:part.xml',
    operation: { id: 'changeListArchivePart', summary: 'A part of the Change List Archive' },
    page: { title: 'Part of the Change List Archive', purpose: 'Some of the finished parts of the Change List.' },
    entries: 'documents',
    plan: async ({ index, published, name }) =>
      planArchivePart(published, await readClosedWindows(index, published), name),
  },
  changeListWindow: {
    of: 'set',
    path: '/sets/:set/changelist-:name.xml',
    operation: { id: 'changeListWindow', summary: 'A part of the Change List' },
    page: {
      title: 'Part of the Change List',
      purpose: 'The changes of some time, in the order in which they happened.',
    },
    entries: 'changes',
    plan: ({ index, published, name }) => new ChangeLists(index).window(published, name),
  },
} as const satisfies Readonly<Record<string, SetRow>>;
