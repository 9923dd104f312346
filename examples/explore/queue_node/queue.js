#!/usr/bin/env node
'use strict';
// A queue of tasks for several agents, in files.
//
//   queue.js claim DIR AGENT   gives the agent the next free task, as DIR/AGENT.json
//   queue.js tidy DIR          takes away what a crash left half done
//   queue.js check DIR         fails when a task is lost or two agents have the same
const fs = require('node:fs');
const path = require('node:path');

const [verb, dir, agent] = process.argv.slice(2);
const queue = path.join(dir, 'tasks.json');

function load(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error.message}.`);
  }
}

function save(file, value) {
  const fresh = `${file}.${agent}.tmp`;
  const out = fs.openSync(fresh, 'w');
  fs.writeFileSync(out, JSON.stringify(value));
  fs.fsyncSync(out);
  fs.closeSync(out);
  fs.renameSync(fresh, file);
  const folder = fs.openSync(dir, 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

function claim() {
  const tasks = load(queue);
  const task = tasks.find((each) => each.agent === null);
  if (!task) return;
  task.agent = agent;
  save(queue, tasks);
  save(path.join(dir, `${agent}.json`), task);
}

function tidy() {
  for (const name of fs.readdirSync(dir)) if (name.endsWith('.tmp')) fs.unlinkSync(path.join(dir, name));
}

function check() {
  const tasks = load(queue);
  if (tasks.map((each) => each.id).join() !== '1,2') throw new Error('A task is lost.');
  for (const name of fs.readdirSync(dir)) {
    const owner = path.basename(name, '.json');
    if (name === 'tasks.json' || !name.endsWith('.json')) continue;
    const { id } = load(path.join(dir, name));
    const entry = tasks.find((each) => each.id === id);
    if (entry.agent !== owner) throw new Error(`${owner} works on task ${id}, which belongs to ${entry.agent ?? 'nobody'}.`);
  }
}

try {
  ({ claim, tidy, check })[verb]();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
