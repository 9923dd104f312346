// node has no call for locks, so flock(1) takes one on a descriptor that it shares with this process. The kernel gives it
// free when both are gone, however they went; a file that is merely there locks nobody out.
import { spawnSync } from 'node:child_process';
import { LOCK, withFile } from './files.mjs';

const TOOLS = ['/usr/bin/flock', '/bin/flock'];
const PATIENCE_S = '3';
let patient = true;

function take(fd) {
  for (const tool of TOOLS) {
    const wait = patient ? ['-w', PATIENCE_S] : ['-n'];
    const stdio = ['ignore', 'ignore', 'ignore', fd];
    const { error, status } = spawnSync(tool, ['-x', ...wait, '3'], { stdio, cwd: '/', env: {}, timeout: 6000 });
    if (error?.code === 'ENOENT') continue;
    patient = status === 0; // who never gives it back is waited for once, not at every call
    return status === 0;
  }
  return null;
}

// ``use`` is told true when it has the lock, null when this machine has no locks, and false when it has to do without.
export function withLock(where, use) {
  let begun = false;
  let result = null;
  let problem = null;
  const guarded = (fd) => {
    const held = take(fd);
    begun = true;
    try {
      result = use(held);
    } catch (raised) {
      problem = raised;
    }
  };
  try {
    withFile(where, LOCK, guarded);
  } catch {
    if (!begun) return use(false); // a lock that cannot be closed has done what it was for
  }
  if (problem) throw problem;
  return result;
}
