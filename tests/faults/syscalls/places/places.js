// Writes two files. Usage: places.js self|child|grandchild|thread DIR
const fs = require("fs");
const { spawnSync } = require("child_process");
const { Worker, isMainThread, workerData } = require("worker_threads");

function work(directory) {
  for (const name of ["first", "second"]) {
    const fd = fs.openSync(`${directory}/${name}`, "w");
    fs.writeSync(fd, "hello world");
    fs.closeSync(fd);
  }
}

function again(where, directory) {
  const { status } = spawnSync(process.execPath, [__filename, where, directory]);
  process.exitCode = status === 0 ? 0 : 3;
}

if (!isMainThread) {
  work(workerData);
} else {
  const [where, directory] = process.argv.slice(2);
  if (where === "self") {
    try {
      work(directory);
    } catch {
      process.exitCode = 3;
    }
  } else if (where === "thread") {
    new Worker(__filename, { workerData: directory }).on("error", () => (process.exitCode = 3));
  } else {
    again(where === "child" ? "self" : "child", directory);
  }
}
