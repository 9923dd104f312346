#!/usr/bin/env node
'use strict';
// Keep going until every todo is checked off. No config, no state, no dependencies.
const fs = require('node:fs');

const utf8 = new TextDecoder('utf-8', { fatal: true });
const done = () => process.exit(0);
process.on('uncaughtException', done);
process.stdout.on('error', done);
setTimeout(done, 3000);

function* transcript(file) {
  const info = fs.statSync(file);
  if (!info.isFile() || info.size > 10 * 1024 * 1024) return;
  let damaged = 0;
  const bytes = fs.readFileSync(file);
  for (let from = 0, to; from < bytes.length; from = to + 1) {
    to = bytes.indexOf(10, from);
    if (to < 0) to = bytes.length;
    const line = bytes.subarray(from, to);
    try {
      if (line.length > 0) yield JSON.parse(utf8.decode(line));
    } catch {
      damaged += 1;
      if (damaged > 10) throw new Error('this is no transcript');
    }
  }
}

function codexPlan(call) {
  try {
    return JSON.parse(call.arguments).plan;
  } catch {
    return null; // no plan, whatever it is
  }
}

function unfinished(file) {
  let todos = [];
  for (const line of transcript(file)) {
    const message = line?.message ?? line?.payload ?? line;
    const plan = message?.name === 'update_plan' ? codexPlan(message) : null;
    if (Array.isArray(plan)) todos = plan;
    if (message?.role !== 'assistant' || !Array.isArray(message.content)) continue;
    for (const part of message.content) {
      if (part?.type === 'tool_use' && Array.isArray(part.input?.todos)) todos = part.input.todos;
    }
  }
  return todos.filter((todo) => ['pending', 'in_progress'].includes(todo?.status));
}

let input = Buffer.alloc(0);
process.stdin.on('end', done).on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  let event;
  try {
    event = JSON.parse(utf8.decode(input));
  } catch {
    return; // more to come
  }
  process.stdin.destroy();
  const todos = unfinished(event.transcript_path ?? event.transcriptPath);
  if (todos.length === 0) return done();
  const next = String(todos[0].content ?? todos[0].step).toWellFormed().slice(0, 200).toWellFormed();
  const reason = `Not done yet: ${todos.length} todo(s) left. Go on with: ${next}`;
  process.stdout.write(JSON.stringify({ decision: 'block', reason }), done);
});
