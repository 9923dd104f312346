// What several modules need of the file system. Nothing here follows a link: whatever is linked lies outside.
import fs from 'node:fs';
import path from 'node:path';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = fs.constants;
const SAFE = O_NOFOLLOW | O_NONBLOCK; // without waiting, since a named pipe may stand anywhere
export const READ = O_RDONLY | SAFE;
export const APPEND = O_RDWR | O_APPEND | O_CREAT | SAFE;
export const LOCK = O_RDWR | O_CREAT | SAFE;
const REPLACE = O_WRONLY | O_CREAT | O_TRUNC | SAFE;

function refusal(code, where) {
  return Object.assign(new Error(`${code}: ${where}`), { code });
}

export function withFile(where, flags, use) {
  const fd = fs.openSync(where, flags, 0o666);
  let done = false;
  try {
    if (!fs.fstatSync(fd).isFile()) throw refusal('ENOTFILE', where);
    const result = use(fd);
    done = true;
    return result;
  } finally {
    try {
      fs.closeSync(fd);
    } catch (problem) {
      if (done) throw problem;
    }
  }
}

// libuv does not repeat a read that a signal interrupted.
function read(fd, buffer, start, position) {
  for (;;) {
    try {
      return fs.readSync(fd, buffer, start, buffer.length - start, position);
    } catch (problem) {
      if (problem.code !== 'EINTR') throw problem;
    }
  }
}

export function readFrom(fd, offset) {
  const chunks = [];
  let position = offset;
  for (;;) {
    const buffer = Buffer.allocUnsafe(65536);
    const count = read(fd, buffer, 0, position);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, count));
    position += count;
  }
}

export function readFile(where) {
  return withFile(where, READ, (fd) => readFrom(fd, 0));
}

export function checkFolders(root, names) {
  let where = root;
  for (const name of names) {
    where = path.join(where, name);
    if (!fs.lstatSync(where).isDirectory()) throw refusal('ENOTDIR', where);
  }
}

export function makeFolders(root, names) {
  let where = root;
  for (const name of names) {
    where = path.join(where, name);
    try {
      fs.mkdirSync(where);
    } catch (problem) {
      if (problem.code !== 'EEXIST') throw problem;
    }
  }
  checkFolders(root, names);
}

function syncFolder(folder) {
  const fd = fs.openSync(folder, O_RDONLY);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

// A loss of power may take a new name away again; the content stands for all who look now, so it is no failure.
function trySyncFolder(folder) {
  try {
    syncFolder(folder);
  } catch {
    return;
  }
}

export function writeAll(fd, data) {
  let written = 0;
  while (written < data.length) written += fs.writeSync(fd, data, written);
}

export function replaceFile(where, temporary, data) {
  try {
    withFile(temporary, REPLACE, (fd) => {
      writeAll(fd, data);
      fs.fsyncSync(fd);
    });
    fs.renameSync(temporary, where);
  } catch (problem) {
    fs.rmSync(temporary, { force: true });
    throw problem;
  }
  trySyncFolder(path.dirname(where));
}

export function keepAside(where, aside) {
  fs.rmSync(aside, { force: true });
  fs.linkSync(where, aside);
}
