#!/usr/bin/env node
'use strict';
// Stop hook: asks the agent once to look at its open todo items before the session ends.
// Fails open: no output and exit 0 whenever something is odd. Each hold is one line in the session's tally.
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

const MAX_BLOCKS = 1;
const LINE = 'held\n'; // for each time that a session was held
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_BAD_LINES = 10;
const utf8 = new TextDecoder('utf-8', { fatal: true });

function approve(why) {
  if (!why) process.exit(0);
  process.stderr.write(`todo-guard: stop approved: ${why}\n`, () => process.exit(0));
}

process.on('uncaughtException', (error) => approve(error.message));
process.stdout.on('error', () => process.exit(0));
process.stderr.on('error', () => process.exit(0));
setTimeout(() => process.exit(0), 3000); // nobody reads our output, or stdin says nothing

// O_NONBLOCK, so that a FIFO cannot hold us before fstat tells what it is.
function readRegular(file, limit) {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new Error(`not a regular file: ${file}`);
    if (stat.size > limit) throw new Error(`too large: ${file}`);
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function* lines(buffer) {
  for (let start = 0, end; start < buffer.length; start = end + 1) {
    end = buffer.indexOf(10, start);
    if (end < 0) end = buffer.length;
    yield buffer.subarray(start, end);
  }
}

function toolInputs(entry) {
  if (Array.isArray(entry?.toolCalls)) return entry.toolCalls.map((call) => call?.args); // Gemini CLI
  const body = entry?.message ?? entry?.payload ?? entry; // Claude Code, Codex, flat
  if (body?.type === 'function_call') return [JSON.parse(body.arguments)];
  const parts = body?.role === 'model' ? body.parts : null; // Qwen Code
  if (Array.isArray(parts)) return parts.map((part) => part?.functionCall?.args);
  if (body?.role !== 'assistant' || !Array.isArray(body.content)) return [];
  return body.content.filter((part) => part?.type === 'tool_use').map((part) => part.input);
}

function named(item) {
  return String(item.content ?? item.step ?? item.description).slice(0, 80).toWellFormed();
}

function openItems(transcript) {
  let todos = [];
  let bad = 0;
  for (const line of lines(transcript)) {
    try {
      const text = utf8.decode(line).trim();
      for (const input of text ? toolInputs(JSON.parse(text)) : []) {
        const list = input?.todos ?? input?.plan; // a plan: Codex
        if (Array.isArray(list)) todos = list;
      }
    } catch {
      bad += 1;
      if (bad > MAX_BAD_LINES) throw new Error('too many damaged lines in the transcript');
    }
  }
  return todos.filter((item) => ['pending', 'in_progress'].includes(item?.status));
}

function timesHeld(tally) {
  return (fs.statSync(tally, { throwIfNoEntry: false })?.size ?? 0) / LINE.length;
}

function addTo(tally, held) {
  const fd = fs.openSync(tally, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  fs.writeSync(fd, LINE);
  fs.closeSync(fd);
  const text = readRegular(tally, 4096).toString('latin1');
  if (!/^(held\n)+$/.test(text)) throw new Error('the tally is damaged');
  if (text.length <= held * LINE.length) throw new Error('the tally did not rise');
}

function tallyFile(session) {
  const home = process.env.HOME ?? '';
  if (!path.isAbsolute(home) || !fs.statSync(home).isDirectory()) throw new Error('no home directory');
  const folder = path.join(home, '.cache', 'racing-node');
  fs.mkdirSync(folder, { recursive: true });
  if (fs.lstatSync(folder).isSymbolicLink()) throw new Error('the state folder is a link');
  return path.join(folder, crypto.createHash('sha256').update(session).digest('hex').slice(0, 32));
}

function onStop(event) {
  const transcript = event.transcript_path ?? event.transcriptPath;
  if (typeof transcript !== 'string') return approve('no transcript named');
  const active = event.stop_hook_active ?? event.stopHookActive;
  const tally = tallyFile(String((event.session_id ?? event.sessionId) || transcript));
  // active, but never counted: the count was lost, so do not start another round
  if (timesHeld(tally) === 0 && active) return approve();
  const items = openItems(readRegular(transcript, MAX_BYTES));
  const names = items.slice(0, 3).map(named).join('; ');
  const reason = `${items.length} todo item(s) still open: ${names}`;
  const lock = `${tally}.lock`;
  const held = timesHeld(tally);
  if (items.length === 0 || held === MAX_BLOCKS) {
    if (held > 0) fs.unlinkSync(tally);
    return approve();
  }
  const mine = fs.openSync(lock, O_WRONLY | O_CREAT | O_EXCL); // another stop of this session is held just now: no need to
  process.on('exit', () => fs.rmSync(lock, { force: true }));
  fs.closeSync(mine);
  addTo(tally, held); // a block that cannot be counted must not happen
  process.stdout.write(`${JSON.stringify({ decision: 'block', reason })}\n`, () => process.exit(0));
}

// The host may leave stdin open, so act on the first moment it holds a whole JSON object.
let received = Buffer.alloc(0);
process.stdin.on('error', () => process.exit(0));
process.stdin.on('end', () => approve('no JSON object on stdin'));
process.stdin.on('data', (chunk) => {
  received = Buffer.concat([received, chunk]);
  if (received.length > MAX_BYTES) approve('too much on stdin');
  let event;
  try {
    event = JSON.parse(utf8.decode(received));
  } catch {
    return; // not all of it yet
  }
  process.stdin.destroy();
  if (event === null || typeof event !== 'object') approve('stdin is not a JSON object');
  else onStop(event);
});
