#!/usr/bin/env node
// Checks a Stop hook against plain JSON scenarios, without windtunnel:
//   windtunnel generate --profile stop_hook --plain --format json --out scenarios
//   node check.mjs scenarios/hook-....json -- python3 my_hook.py
// Exit 0: the last answer is one of those allowed. 1: it is not. 2: this reader cannot run the scenario.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const [file, dashes, ...command] = process.argv.slice(2);
if (dashes !== "--" || !command.length) refuse("usage: check.mjs SCENARIO.json -- COMMAND...");
const scenario = read(file);
if (!scenario.allowed?.length) refuse(`${scenario.id} does not say what is allowed`);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "reader-"));
const resolve = (text) => text.replace(/\{(home|project|tmp|outside)\}/g, (_, root) => path.join(base, root));

function refuse(why) {
  console.error(why);
  process.exit(2);
}

function read(name) {
  try {
    return JSON.parse(fs.readFileSync(name, "utf8"));
  } catch (error) {
    return refuse(`${name} is no JSON scenario: ${error.message}; write some with --format json`);
  }
}

function make(place, spec) {
  const at = resolve(place);
  if (spec.kind === "absent") return;
  fs.mkdirSync(path.dirname(at), { recursive: true });
  if (spec.kind === "directory") fs.mkdirSync(at, { recursive: true });
  else if (spec.kind === "symlink") fs.symlinkSync(resolve(spec.target), at);
  else if (spec.kind === "fifo") spawnSync("mkfifo", [at]);
  else fs.writeFileSync(at, spec.base64 !== undefined ? Buffer.from(spec.base64, "base64") : (spec.text ?? ""));
  if (spec.mode !== undefined) fs.chmodSync(at, spec.mode);
}

function stop(args) {
  const input = {
    session_id: args.session_id ?? "session-1",
    transcript_path: resolve(args.transcript_path ?? "{home}/.claude/projects/demo/transcript.jsonl"),
    cwd: resolve("{project}"), hook_event_name: args.event ?? "Stop", stop_hook_active: args.stop_hook_active ?? false,
    permission_mode: args.permission_mode ?? "default", last_assistant_message: args.last_assistant_message ?? "",
    ...args.replace,
  };
  for (const name of args.drop ?? []) delete input[name];
  const env = { PATH: process.env.PATH, HOME: resolve("{home}"), TMPDIR: resolve("{tmp}"),
                CLAUDE_PROJECT_DIR: resolve("{project}"), ...args.environment };
  const ran = spawnSync(command[0], command.slice(1), { input: JSON.stringify(input) + "\n", env, timeout: 30_000 });
  if (ran.error?.code === "ENOENT") refuse(`${command[0]} does not exist`);
  let said = null;
  try { said = JSON.parse(ran.stdout.toString()).decision; } catch { /* no JSON is no block */ }
  const blocked = (ran.status === 2 && ran.stderr.length > 0) || (ran.status === 0 && said === "block");
  return { decision: ran.status === null ? "no answer" : blocked ? "block" : "approve" };
}

try {
  for (const root of ["home", "project", "tmp", "outside"]) fs.mkdirSync(path.join(base, root));
  for (const [place, spec] of Object.entries(scenario.world.files ?? {})) make(place, spec);
  let last;
  for (const step of scenario.steps) {
    if (step.op?.name !== "stop" || step.op.args?.camel_case || (step.op.args?.stdin ?? "object") !== "object")
      refuse(`${scenario.id} has a step that this reader does not know`);
    last = stop(step.op.args ?? {});
  }
  const fine = scenario.allowed.some((one) => one.decision === last.decision);
  console.log(`${fine ? "ok  " : "FAIL"} ${scenario.id}: ${last.decision}`);
  process.exitCode = fine ? 0 : 1;
} finally {
  fs.rmSync(base, { recursive: true, force: true });
}
