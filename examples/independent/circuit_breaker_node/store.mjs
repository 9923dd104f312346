// What is known of all breakers: the state file, and beside it what this process knows and could not write.
import fs from 'node:fs';
import path from 'node:path';
import { checkFolders, keepAside, makeFolders, readFile, replaceFile } from './files.mjs';
import { doubtful, isRecord, revisionOf, unused, withExactCounts } from './machine.mjs';
import { parse } from './instants.mjs';
import { withLock } from './lock.mjs';

const FOLDERS = ['.loki', 'state'];
const FILE = 'circuit-breakers.json';
const EMPTY = { success_count: 0, last_failure_time: null, cooldown_until: null, failure_window_start: null };
const SEVERITY = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 };
const NOTHING = { records: new Map(), spoiled: new Set() };

function decoded(data) {
  const content = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data));
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new Error('it is no object');
  JSON.stringify(content); // what is nested too deep to be written again cannot be kept
  const records = new Map(Object.entries(content));
  const spoiled = new Set([...records.keys()].filter((name) => !isRecord(records.get(name))));
  for (const [name, record] of records) {
    if (spoiled.has(name)) records.delete(name);
    else records.set(name, withExactCounts(record));
  }
  return { kind: spoiled.size > 0 ? 'spoiled' : 'whole', records, spoiled };
}

function encoded(records) {
  const content = Object.create(null);
  for (const [name, record] of records) content[name] = record;
  return Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
}

// Whether what this process remembers is to be believed, and not what stands in the file.
function outlives(remembered, found) {
  const [ours, theirs] = [revisionOf(remembered.record), revisionOf(found)];
  if (ours !== null && theirs !== null && ours !== theirs) return ours > theirs;
  if (!remembered.dirty) return false;
  const [oursSince, theirsSince] = [remembered.record, found].map((record) => parse(record.last_state_change));
  if (oursSince !== theirsSince) return oursSince > theirsSince;
  return SEVERITY[remembered.record.state] >= SEVERITY[found.state];
}

export class Store {
  constructor(root) {
    this.root = root;
    this.folder = path.join(root, ...FOLDERS);
    this.file = path.join(this.folder, FILE);
    this.aside = `${this.file}.damaged`;
    this.known = new Map(); // name -> { record, dirty, guessed }
    this.seen = { kind: 'absent', ...NOTHING };
  }

  look() {
    let data;
    try {
      checkFolders(this.root, FOLDERS);
      data = readFile(this.file);
    } catch (problem) {
      this.accept({ kind: problem.code === 'ENOENT' ? 'absent' : 'unreadable', ...NOTHING });
      return;
    }
    try {
      this.accept(decoded(data));
    } catch {
      this.accept({ kind: 'damaged', ...NOTHING });
    }
  }

  accept(seen) {
    this.seen = seen;
    if (seen.kind === 'unreadable') return;
    for (const [name, entry] of this.known) if (entry.guessed && seen.kind !== 'damaged') this.known.delete(name);
    for (const [name, record] of seen.records) {
      const remembered = this.known.get(name);
      if (!remembered || !outlives(remembered, record)) this.known.set(name, { record, dirty: false, guessed: false });
      else remembered.dirty = true;
    }
  }

  // Names that a damaged file held are lost with it, so that whoever is not named in the new one is in doubt.
  namesAreLost() {
    if (this.seen.kind === 'damaged' || this.seen.kind === 'unreadable') return true;
    try {
      return fs.lstatSync(this.aside) !== null;
    } catch {
      return false;
    }
  }

  isUncertain() {
    return ['damaged', 'unreadable'].includes(this.seen.kind) && this.known.size === 0;
  }

  standing(name, now) {
    const remembered = this.known.get(name);
    if (remembered) return remembered.record;
    return this.seen.spoiled.has(name) || this.namesAreLost() ? doubtful(now) : unused(now);
  }

  put(name, record) {
    const guessed = this.seen.kind === 'unreadable' && (this.known.get(name)?.guessed ?? true);
    this.known.set(name, { record: { ...EMPTY, ...record, revision: (revisionOf(record) ?? 0) + 1 }, dirty: true, guessed });
  }

  records() {
    return [...this.known].map(([name, { record }]) => [name, record]);
  }

  locked(use) {
    try {
      makeFolders(this.root, FOLDERS);
    } catch {
      this.look();
      return use(false);
    }
    return withLock(`${this.file}.lock`, (held) => {
      this.look();
      return use(held !== false);
    });
  }

  owesFile() {
    return this.seen.kind !== 'unreadable' && [...this.known.values()].some((entry) => entry.dirty);
  }

  // Returns why it could not be written, or null.
  save(mayWrite, now) {
    if (![...this.known.values()].some((entry) => entry.dirty)) return null;
    if (!mayWrite) return 'the lock or the folder cannot be had';
    if (this.seen.kind === 'unreadable') return 'what stands there cannot be read';
    try {
      for (const name of this.seen.spoiled) if (!this.known.has(name)) this.put(name, doubtful(now));
      if (this.seen.kind === 'damaged') keepAside(this.file, this.aside);
      if (this.seen.kind === 'spoiled') keepAside(this.file, `${this.aside}-in-part`);
      replaceFile(this.file, `${this.file}.tmp`, encoded(this.records()));
    } catch (problem) {
      return problem.message;
    }
    this.seen = { kind: 'whole', ...NOTHING };
    for (const entry of this.known.values()) [entry.dirty, entry.guessed] = [false, false];
    return null;
  }
}
