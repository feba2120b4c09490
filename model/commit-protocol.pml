/*
 * The protocol of the log on Elasticsearch: commits, lost responses, crashes, appliers, readers, dropped commits, and the
 * segments of the log. docs/internals/model.md says what it covers, and which step is which function.
 *
 * One atomic step is one request to Elasticsearch, with what its process does in memory until the next one. A process
 * may stop at any step for any time, so a process that sleeps for a week, or is dead, is one that takes no step. What
 * only the model knows, to compare with, is called true: true_last, commits.
 *
 * MISTAKE is one of the planted mistakes below.
 */

/* ---- The size of the instance ---- */

#ifndef NUMBERS
#define NUMBERS 4 /* commits until the log of the model is full, and everything stops */
#endif
#ifndef SEGMENTS
#define SEGMENTS 3
#endif
#ifndef APPLIERS
#define APPLIERS 1
#endif
#ifndef EVENTS
#define EVENTS 2 /* events that each writer posts, one after the other */
#endif
#ifndef CRASHES
#define CRASHES 1 /* of processes that commit */
#endif
#ifndef FAILOVERS
#define FAILOVERS 1 /* of the primary shard of the log */
#endif
#ifndef FINE
#define FINE 0 /* 1: each request is a step; 0: requests that no other process can tell apart are one */
#endif
#ifndef DROPS
#define DROPS 1 /* whether commits are dropped one by one, too */
#endif
#define WRITERS 2
#define FAR 2 /* a process that is more commits behind continues from the pointer */

#if FINE
#define AT_ONCE
#else
#define AT_ONCE atomic
#endif

/* ---- Planted mistakes ---- */

#define NO_FENCE 1              /* a commit is written by `index` instead of `create` */
#define FREED_NUMBER 2          /* dropping a commit deletes its document */
#define ACKNOWLEDGED_EARLY 3    /* the caller gets its response before the commit is in the log */
#define NEW_UUID 4              /* the request after a lost response has another uuid */
#define NO_CONFIRMATION 5       /* its own uuid, read after a lost response, counts as committed */
#define NO_CHECK 6              /* `unchanged` without checking that the next number is free */
#define DOCUMENTS_FIRST 7       /* states are read before the commits that wait to be applied */
#define NO_VERSION 8            /* a state is written without an external version */
#define LEDGER_ALONE 9          /* a ledger is written without the positions of the other sources */
#define POINTER_SKIPS 10        /* the pointer moves over a commit that is not applied */
#define NO_WAIT 11              /* a reader does not wait until its head is applied */
#define NO_REFRESH 12           /* a reader does not refresh the indices */
#define ABOVE_WATERMARK 13      /* a reader takes what it finds above its head */
#define REMOVED_UNARCHIVED 14   /* a segment is removed that is not archived */
#define EARLIER_READ 15         /* a reader joins a read that began before it asked */
#define NAME_FREED 16           /* the name of a removed segment can be used again */
#define WRITTEN_TO_NEWEST 17    /* a commit is written to the newest segment, not to the one of its number */
#define POINTER_WITHOUT_SEGMENT 18 /* the pointer does not say that its commit ends a segment */
#define SEALED_AGAIN 19         /* a seal that lost its race is repeated, not decided again */
#define SEALED_TOO_EARLY 20     /* the last commit of a segment is written before the next segment exists */
#define REMOVED_IS_LOST 21      /* after a lost response, a removed segment counts as: not committed */
#define TAKEN_UNCONFIRMED 22    /* a commit of another process counts that only the primary has, and loses */
/* Not a mistake of the program, but what it does not survive: see "What it does not cover". */
#define READ_FROM_OLD_COPY 23   /* a read is answered by a copy that is cut off from the primary */
#ifndef MISTAKE
#define MISTAKE 0
#endif

/* ---- Elasticsearch ---- */

#define MISSING 0
#define OPEN 1
#define REMOVED 2 /* the index is deleted, and its name is an alias that cannot be written to */

byte segment_index[SEGMENTS + 2];
/* The documents of the log, by number. */
byte uuid[NUMBERS + 2];   /* 0: no document */
byte place[NUMBERS + 2];  /* its segment */
bit seal[NUMBERS + 2];    /* the next number is in the next segment */
bit dropped[NUMBERS + 2];
bit safe[NUMBERS + 2];    /* on all copies, or read by another process: see READ */

byte pointer;
byte pointer_segment = 1; /* of the number after the pointer */
byte state;               /* of the one key: its version, which is the number of its last change */
byte ledger_version;
byte reached;             /* the position of the source of writer 1, in the ledger */
byte changes;             /* a bit for each number */
byte found;               /* the changes that a search finds: those of the last refresh */
byte found_state;
byte archived;            /* the commits up to this one are in the archive */

/* ---- What is true ---- */

typedef Commit { byte writer; byte event; bit acknowledged; };
Commit commits[NUMBERS + 2]; /* event 0: a seal */
byte true_last;
byte true_segment = 1;       /* of the number after it */
byte true_state;             /* the last change */
bit was_unchanged;           /* the state was what writer 0 posts, at some time since its request began */
byte true_end[SEGMENTS + 1]; /* the last number of each segment that has ended */
byte crashes[WRITERS];
byte failovers;

hidden byte i, at, target, last; /* within one step only */

#define BIT(n) (1 << (n))
#define STORED(s, n) (uuid[n] != 0 && place[n] == (s))
/* The last commit that a later request must see: an unacknowledged one may vanish until another process has read it. */
#define DURABLE (true_last - (true_last > 0 && !safe[true_last]))
#define UUID(w) (1 + (w) + WRITERS * crashes[w])
#if MISTAKE == NO_FENCE
#define IS_FENCED(s, n) false
#else
#define IS_FENCED(s, n) STORED(s, n)
#endif
#if MISTAKE == NEW_UUID
#define IS_OWN(n) (uuid[n] == UUID(me) && !maybe)
#else
#define IS_OWN(n) (uuid[n] == UUID(me))
#endif
/* A process that reads a commit writes it over itself, which is on all copies when it is acknowledged. */
#if MISTAKE == TAKEN_UNCONFIRMED
#define READ(n) skip
#else
#define READ(n) safe[n] = 1
#endif
#if MISTAKE == LEDGER_ALONE
#define BEGINS_AT(n) n
#define KEEPS_OTHERS false
#else
#define BEGINS_AT(n) (pointer + 1)
#define KEEPS_OTHERS true
#endif
#if MISTAKE == NO_VERSION
#define IS_NEWER(version, stored) true
#else
#define IS_NEWER(version, stored) (version > stored)
#endif
#if MISTAKE == REMOVED_UNARCHIVED
#define MAY_BE_REMOVED(n) (n <= pointer)
#else
#define MAY_BE_REMOVED(n) (n <= archived) /* what is archived is applied: archives are made by a reader */
#endif
#if MISTAKE == POINTER_SKIPS
#define MAY_FOLLOW(n, pointer) true
#else
#define MAY_FOLLOW(n, pointer) (pointer >= n - 1)
#endif

#define WRONG_IF(condition, text, n) if :: condition -> printf(text, n); assert(false) :: else fi

/* The last change in a range of numbers, and the last position of a source; 0 if there is none. */
inline last_in(from, to, w, change, position) {
  d_step {
    change = 0; position = 0; at = from;
    do
    :: at > to || at > true_last -> break
    :: else ->
      if :: commits[at].event > 0 -> change = at :: else fi;
      if :: commits[at].event > 0 && commits[at].writer == w -> position = commits[at].event :: else fi;
      at++
    od
  }
}

/* The document of a commit is created. Event 0: a seal. The decision was made when commit `before` was the last change. */
inline commit(s, n, w, u, e, before, is_acknowledged) {
  d_step {
    WRONG_IF(n <= true_last, "WRONG: number %d is used twice\n", n);
    WRONG_IF(n > true_last + 1, "WRONG: number %d is behind a hole\n", n);
    WRONG_IF(s != true_segment, "WRONG: segment %d has ended, or is not begun\n", s);
    if
    :: e == 0 ->
      WRONG_IF(segment_index[s + 1] != OPEN, "WRONG: the log goes on in segment %d, which does not exist\n", s + 1);
      true_segment = s + 1;
      true_end[s] = n
    :: else ->
      WRONG_IF(before != true_state, "WRONG: decided against the state after commit %d\n", before);
      i = 1;
      do
      :: i > true_last -> break
      :: else ->
        WRONG_IF(commits[i].event == e && commits[i].writer == w, "WRONG: the event is in the log already, as commit %d\n", i);
        i++
      od;
      true_state = n
    fi;
    uuid[n] = u; place[n] = s; seal[n] = (e == 0); safe[n] = (is_acknowledged || FAILOVERS == 0);
    commits[n].writer = w; commits[n].event = e;
    true_last = n;
    if :: e > 0 && w == 0 -> was_unchanged = 1 :: else fi
  }
}

/* ---- What every process does: it reads the log up to a number that does not exist ---- */

inline leap() {
  head = pointer;
#if MISTAKE == POINTER_WITHOUT_SEGMENT
  segment = place[pointer]
#else
  segment = pointer_segment
#endif
}

/* One request reads the pointer and the next commit. */
inline catch_up(me) {
  AT_ONCE {
    do
    :: atomic {
        if
        :: segment_index[segment] != OPEN ->
          assert(pointer_segment > segment);
          leap();
          printf("%d: continues from the pointer, %d\n", me, head)
        :: segment_index[segment] == OPEN && STORED(segment, head + 1) ->
          READ(head + 1);
          if
          :: dropped[head + 1] || pointer > head + FAR ->
            leap();
            printf("%d: continues from the pointer, %d\n", me, head)
          :: else ->
            head++;
            segment = segment + seal[head];
            printf("%d: reads commit %d\n", me, head)
          fi
        :: segment_index[segment] == OPEN && !STORED(segment, head + 1) -> break
#if MISTAKE == READ_FROM_OLD_COPY
        :: segment_index[segment] == OPEN && STORED(segment, head + 1) -> break
#endif
        fi
      }
    od
  }
}

/* ---- A process that commits ---- */

/* The events of writer 1 have positions, and the client posts them again until they are acknowledged. Those of writer 0
 * have none, all have the same state, and are posted once. */
#define POSITIONS (me == 1)
#define IS_DONE (POSITIONS && known >= event || !POSITIONS && before > 0 && commits[before].writer == me)

/* What is known of the state and of the position: from commits that wait to be applied, and from documents. */
inline read_pending() {
  last_in(pointer + 1, head, me, i, last);
  if :: i > before -> before = i :: else fi;
  if :: last > known -> known = last :: else fi;
  i = 0; last = 0
}

inline read_documents() {
  if :: state > before -> before = state :: else fi;
  if :: POSITIONS && reached > known -> known = reached :: else fi
}
#if MISTAKE == DOCUMENTS_FIRST
#define READ_FIRST read_documents()
#define READ_SECOND read_pending()
#else
#define READ_FIRST read_pending()
#define READ_SECOND read_documents()
#endif
#define SEALS_AGAIN (MISTAKE == SEALED_AGAIN)
#if MISTAKE == ACKNOWLEDGED_EARLY
#define ACKNOWLEDGE_EARLY check_done()
#else
#define ACKNOWLEDGE_EARLY skip
#endif

/* `unchanged` is right if the log had that state at some time since the request began; `repeated`, if it has the event. */
inline check_done() {
  d_step {
    i = 1;
    do
    :: i > true_last || commits[i].writer == me && commits[i].event == event -> break
    :: else -> i++
    od;
    WRONG_IF(POSITIONS && i > true_last, "WRONG: event %d is acknowledged, and not in the log\n", event);
    WRONG_IF(!POSITIONS && !was_unchanged, "WRONG: event %d is acknowledged as unchanged, and the state is another\n", event);
    i = 0
  }
}

/* A request begins. */
inline begin() {
  if
  :: POSITIONS
  :: else -> d_step {
      i = DURABLE;
      do :: i == 0 || commits[i].event > 0 -> break :: else -> i-- od;
      was_unchanged = (i > 0 && commits[i].writer == 0 || true_state > 0 && commits[true_state].writer == 0);
      i = 0
    }
  fi
}

/* The process forgets everything; its request may still arrive. */
inline crash() {
  run Late(me, UUID(me), segment, head + 1, (ends -> 0 : event), before);
  printf("writer %d: crashes; its request is under way\n", me);
  crashes[me]++;
  head = 0; segment = 1;
  give_up()
}

/* The caller gets `unavailable`. */
inline give_up() {
  maybe = 0; ends = 0; before = 0; known = 0;
  if :: POSITIONS -> skip :: else -> event++ fi
}

proctype Writer(byte me) {
  byte head, segment = 1, event = 1, before, known;
  bit maybe, ends;
post:
  if
  :: event <= EVENTS && head < NUMBERS
  :: else -> goto stopped
  fi;
  begin();
decide:
  AT_ONCE {
    atomic { READ_FIRST };
    atomic {
      READ_SECOND;
      if
      :: IS_DONE -> before = 0; known = 0; goto check
      :: !IS_DONE -> known = 0; ACKNOWLEDGE_EARLY; goto create
      :: !IS_DONE && segment < SEGMENTS && head > 0 && place[head] == segment -> known = 0; ends = 1
      fi
    }
  };
#if MISTAKE != SEALED_TOO_EARLY
  atomic {
    if
    :: segment_index[segment + 1] == MISSING ->
      segment_index[segment + 1] = OPEN;
      printf("writer %d: creates segment %d\n", me, segment + 1)
    :: segment_index[segment + 1] == OPEN
    :: segment_index[segment + 1] == REMOVED -> goto again
    fi
  };
#endif
  goto create;
check:
  skip;
  atomic {
#if MISTAKE != NO_CHECK
    if
    :: segment_index[segment] != OPEN || STORED(segment, head + 1) -> goto again
#if MISTAKE == READ_FROM_OLD_COPY
    :: true
#else
    :: else
#endif
    fi;
#endif
    check_done();
    printf("writer %d: event %d changes nothing\n", me, event);
    event++;
    goto post
  };
create:
  if
  :: atomic { crashes[0] + crashes[1] < CRASHES -> crash(); goto post }
  :: atomic {
      target = segment;
#if MISTAKE == WRITTEN_TO_NEWEST
      target = SEGMENTS;
      do :: segment_index[target] == OPEN -> break :: else -> target-- od;
#endif
      if
      :: segment_index[target] != OPEN ->
        printf("writer %d: segment %d does not exist\n", me, target);
#if MISTAKE != REMOVED_IS_LOST
        if :: maybe -> give_up(); goto post :: else fi;
#endif
        goto again
      :: segment_index[target] == OPEN && STORED(target, head + 1) && IS_OWN(head + 1) ->
#if MISTAKE != NO_CONFIRMATION
        /* It writes the document over itself, with its changes: that is on all copies when it is acknowledged. */
        safe[head + 1] = 1; dropped[head + 1] = 0;
#endif
        printf("writer %d: its commit %d is in the log\n", me, head + 1)
      :: segment_index[target] == OPEN && IS_FENCED(target, head + 1) && !IS_OWN(head + 1) ->
        printf("writer %d: commit %d exists\n", me, head + 1);
        READ(head + 1);
        goto again
      :: segment_index[target] == OPEN && !(STORED(target, head + 1) && IS_OWN(head + 1)) && !IS_FENCED(target, head + 1) ->
        if
        :: printf("writer %d: creates commit %d in segment %d, event %d\n", me, head + 1, target, (ends -> 0 : event));
          commit(target, head + 1, me, UUID(me), (ends -> 0 : event), before, 1)
        :: printf("writer %d: creates commit %d in segment %d, event %d; the response is lost\n", me, head + 1, target,
            (ends -> 0 : event));
          commit(target, head + 1, me, UUID(me), (ends -> 0 : event), before, 0);
          maybe = 1;
          goto create
        fi
      fi;
      maybe = 0; before = 0;
      head++;
      segment = segment + ends;
      if
      :: ends -> ends = 0; goto decide_next
      :: else ->
        printf("writer %d: acknowledges event %d, commit %d\n", me, event, head);
        commits[head].acknowledged = !safe[head]; /* else it cannot be lost */
        event++;
        goto post
      fi
    }
  fi;
decide_next:
#if MISTAKE == SEALED_TOO_EARLY
  atomic { segment_index[segment] = OPEN };
#endif
  if :: head < NUMBERS -> goto decide :: else -> goto stopped fi;
again:
  AT_ONCE {
    maybe = 0; before = 0; known = 0;
    catch_up(me);
    if
    :: SEALS_AGAIN && ends && head < NUMBERS && segment < SEGMENTS -> goto create
    :: else -> ends = 0
    fi;
    if :: head < NUMBERS -> goto decide :: else fi
  };
stopped:
  atomic { head = 0; segment = 0; event = 0; before = 0; known = 0 }
}

/* A request that arrives after its process has crashed, or has given it up. */
proctype Late(byte me, u, s, n, e, before) {
  atomic {
    if
    :: segment_index[s] == OPEN && !IS_FENCED(s, n) ->
      printf("a late request of writer %d: creates commit %d in segment %d, event %d\n", me, n, s, e);
      commit(s, n, me, u, e, before, 1)
    :: else
    fi
  }
}

/* The primary dies, and with it a commit that no other copy has, unless it was read: see READ. */
proctype Failover() {
end:
  do
  :: atomic {
      failovers < FAILOVERS && DURABLE < true_last && uuid[true_last] != 0 ->
      printf("the primary dies, and with it commit %d\n", true_last);
      WRONG_IF(commits[true_last].acknowledged, "WRONG: commit %d was acknowledged\n", true_last);
      d_step {
        failovers++;
        true_segment = place[true_last];
        true_end[true_segment] = 0;
        uuid[true_last] = 0; place[true_last] = 0; seal[true_last] = 0;
        commits[true_last].writer = 0; commits[true_last].event = 0;
        true_last--;
        true_state = true_last;
        do :: true_state == 0 || commits[true_state].event > 0 -> break :: else -> true_state-- od
      }
    }
  od
}

/* ---- A process that applies commits: the part of every process that runs beside its commits ---- */

proctype Applier(byte me) {
  byte n, position;
end:
  do
  :: atomic {
      /* A commit above the pointer, in any order; with those below it that wait to be applied. */
      uuid[pointer + 1] != 0 && segment_index[place[pointer + 1]] == OPEN ->
      n = pointer + 1;
      READ(n);
#if APPLIERS > 1
      if
      :: uuid[n + 1] != 0 && segment_index[place[n + 1]] == OPEN -> n++; READ(n)
      :: true
      fi;
#endif
      last_in(BEGINS_AT(n), n, 1, i, position);
      printf("applier %d: begins commit %d\n", me, n)
    };
    AT_ONCE {
      atomic { if :: KEEPS_OTHERS && reached > position -> position = reached :: else fi };
      atomic {
        changes = changes | BIT(n);
        if :: commits[n].event > 0 && IS_NEWER(n, state) -> state = n :: else fi
      };
      atomic { if :: n > ledger_version -> ledger_version = n; reached = position :: else fi; position = 0 }
    };
    atomic {
      if
      :: pointer < n && MAY_FOLLOW(n, pointer) ->
        pointer = n; pointer_segment = place[n] + seal[n];
        printf("applier %d: moves the pointer to %d\n", me, n)
      :: else
      fi;
      n = 0
    }
  od
}

/* ---- A process that reads, and archives what it reads ---- */

proctype Reader() {
  byte head, segment = 1, began, visible;
end:
  do
  :: AT_ONCE {
      atomic { head < NUMBERS -> began = DURABLE; visible = head };
      catch_up(9);
#if MISTAKE == EARLIER_READ
      began = DURABLE;
#endif
      atomic {
        WRONG_IF(head < began, "WRONG: a reader does not see commit %d, which was there before it asked\n", began);
        began = 0
      }
    };
    if
    :: atomic { head == visible -> visible = 0 }
    :: head > visible ->
      atomic {
#if MISTAKE != NO_WAIT
        pointer >= head;
#endif
#if MISTAKE != NO_REFRESH
        found = changes; found_state = state;
#endif
        target = head;
#if MISTAKE == ABOVE_WATERMARK
        d_step { target = NUMBERS; do :: target == head || (found & BIT(target)) != 0 -> break :: else -> target-- od };
#endif
        printf("reader: reads what is below commit %d\n", target);
        d_step {
          i = 1; last = 0;
          do
          :: i > target -> break
          :: else ->
            WRONG_IF((found & BIT(i)) == 0, "WRONG: commit %d is below the watermark, and a search does not find it\n", i);
            if :: commits[i].event > 0 -> last = i :: else fi;
            i++
          od;
          WRONG_IF(found_state < last, "WRONG: the state of the key is not that after commit %d\n", last);
          last = 0; i = 0; target = 0; found = 0; found_state = 0
        };
        visible = 0;
        archived = head
      }
    fi
  od
}

/* ---- A process that drops what is archived ---- */

proctype Dropper() {
  byte removed, n;
end:
  do
#if DROPS
  :: atomic {
      n < archived && uuid[n + 1] != 0 ->
      n++;
      if
      :: segment_index[place[n]] == OPEN ->
        printf("commit %d is dropped\n", n);
#if MISTAKE == FREED_NUMBER
        uuid[n] = 0
#else
        dropped[n] = 1
#endif
      :: else
      fi
    }
#endif
  :: atomic {
      removed + 1 < true_segment && MAY_BE_REMOVED(true_end[removed + 1]) ->
      removed++;
      printf("segment %d is removed, up to commit %d\n", removed, true_end[removed]);
      WRONG_IF(true_end[removed] > archived, "WRONG: commit %d is lost: it is not archived\n", true_end[removed]);
      d_step {
        i = true_end[removed];
        do :: i == 0 || place[i] != removed -> break :: else -> uuid[i] = 0; i-- od;
        i = 0
      };
#if MISTAKE == NAME_FREED
      segment_index[removed] = MISSING
#else
      segment_index[removed] = REMOVED
#endif
    }
  od
}

init {
  atomic {
    segment_index[1] = OPEN;
    run Writer(0); run Writer(1);
    for (i : 1 .. APPLIERS) { run Applier(i) };
    i = 0;
    run Reader(); run Dropper(); run Failover()
  }
}
