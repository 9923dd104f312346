// .loki/logs/circuit-recovery.log: one line a recovery, appended whole or not at all.
import fs from 'node:fs';
import path from 'node:path';
import { APPEND, READ, checkFolders, makeFolders, readFrom, withFile } from './files.mjs';

const FOLDERS = ['.loki', 'logs'];
const NAME = 'circuit-recovery.log';
const TAIL = 1 << 20;

export function logSize(root) {
  try {
    checkFolders(root, FOLDERS);
    return fs.lstatSync(path.join(root, ...FOLDERS, NAME)).size;
  } catch {
    return 0;
  }
}

// A name may hold line ends; the log may not, since it has one line a recovery.
function lineOf(name, second) {
  const shown = name.replace(/[\r\n]/g, (found) => (found === '\n' ? '\\n' : '\\r'));
  return Buffer.from(`${second} Circuit recovered: ${shown}`);
}

function holdsLine(fd, line, offset) {
  const size = fs.fstatSync(fd).size;
  const text = readFrom(fd, offset <= size ? offset : 0);
  let found = text.indexOf(line);
  while (found >= 0) {
    const begins = found === 0 || text[found - 1] === 10;
    if (begins && text[found + line.length] === 10) return true;
    found = text.indexOf(line, found + 1);
  }
  return false;
}

export function isLogged(root, name, second, offset) {
  try {
    checkFolders(root, FOLDERS);
    return withFile(path.join(root, ...FOLDERS, NAME), READ, (fd) => holdsLine(fd, lineOf(name, second), offset));
  } catch (problem) {
    if (problem.code === 'ENOENT') return false;
    throw problem;
  }
}

function tailOf(fd, size) {
  const start = Math.max(0, size - TAIL);
  const text = readFrom(fd, start);
  return text.subarray(text.lastIndexOf(10) + 1);
}

// A line that somebody died in is completed if it is this one: half a line would name a breaker that never was.
function missing(fd, size, line) {
  const tail = tailOf(fd, size);
  const begun = tail.equals(line.subarray(0, tail.length));
  return begun ? line.subarray(tail.length) : Buffer.concat([Buffer.from('\n'), line]);
}

export function appendRecovery(root, name, second) {
  makeFolders(root, FOLDERS);
  withFile(path.join(root, ...FOLDERS, NAME), APPEND, (fd) => {
    const size = fs.fstatSync(fd).size;
    const data = Buffer.concat([missing(fd, size, lineOf(name, second)), Buffer.from('\n')]);
    if (fs.writeSync(fd, data) !== data.length) {
      fs.ftruncateSync(fd, size);
      throw new Error('a part of the line was written');
    }
    fs.fsyncSync(fd);
  });
}
