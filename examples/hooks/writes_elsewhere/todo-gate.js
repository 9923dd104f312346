#!/usr/bin/env node
'use strict';
// Todo gate. Reminds at most three times in a row; the number of reminders is kept beside the session's id.
const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');

const MAX_SIZE = 10 * 1024 * 1024;
const quit = () => process.exit(0);
process.on('uncaughtException', (error) => process.stderr.write(`todo-gate: ${error.message}\n`, quit));
process.stdout.on('error', quit);
process.stderr.on('error', quit);
setTimeout(quit, 3000);

const utf8 = new TextDecoder('utf-8', { fatal: true });

function entries(file) {
  const info = fs.statSync(file);
  if (!info.isFile() || info.size > MAX_SIZE) return []; // a FIFO would never end
  let damaged = 0;
  const bytes = fs.readFileSync(file);
  const found = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from);
    const to = newline < 0 ? bytes.length : newline;
    try {
      const text = utf8.decode(bytes.subarray(from, to)).trim();
      if (text) found.push(JSON.parse(text));
    } catch {
      damaged += 1;
    }
    from = to + 1;
  }
  return damaged > 10 ? [] : found;
}

function codexPlan(call) {
  try {
    return JSON.parse(call.arguments).plan;
  } catch {
    return null; // no plan, whatever it is
  }
}

function openItems(file) {
  let todos = [];
  for (const entry of entries(file)) {
    const message = entry?.message ?? entry?.payload ?? entry;
    const plan = message?.name === 'update_plan' ? codexPlan(message) : null;
    if (Array.isArray(plan)) todos = plan;
    if (message?.role !== 'assistant' || !Array.isArray(message.content)) continue;
    for (const part of message.content) {
      if (part?.type === 'tool_use' && Array.isArray(part.input?.todos)) todos = part.input.todos;
    }
  }
  return todos.filter((todo) => todo?.status === 'pending' || todo?.status === 'in_progress');
}

function readCount(file) {
  const info = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!info) return 0;
  const text = info.isFile() && info.size < 4 ? fs.readFileSync(file, 'utf8') : '';
  if (!/^[0-9]+$/.test(text)) throw new Error('the counter is damaged');
  return Number(text);
}

function countBlock(session, active) {
  const home = process.env.HOME ?? '';
  if (!isAbsolute(home) || !fs.statSync(home).isDirectory()) return false;
  const file = join(home, '.cache', 'writes-elsewhere', `${session}.count`);
  fs.mkdirSync(dirname(file), { recursive: true });
  const count = readCount(file);
  if (count >= 3 || (active && count === 0)) {
    fs.rmSync(file, { force: true });
    return false;
  }
  const fresh = `${file}.${randomUUID()}`;
  fs.writeFileSync(fresh, String(count + 1), { flag: 'wx' });
  fs.renameSync(fresh, file);
  return readCount(file) > count;
}

let input = Buffer.alloc(0);
process.stdin.on('end', quit);
process.stdin.on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  let event;
  try {
    event = JSON.parse(utf8.decode(input));
  } catch {
    return;
  }
  process.stdin.destroy();
  const items = openItems(event.transcript_path ?? event.transcriptPath);
  const session = String(event.session_id ?? event.sessionId);
  if (!items.length || !countBlock(session, event.stop_hook_active ?? event.stopHookActive)) return quit();
  const reason = `${items.length} item(s) on the todo list are not done yet.`;
  process.stdout.write(JSON.stringify({ decision: 'block', reason }), quit);
});
