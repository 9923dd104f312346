// Enters a worker's pending line in a shared ledger. Usage: node program.js op|recover|check DIR [WORKER]
'use strict';
const fs = require('node:fs');

const [verb, dir, worker = 'a'] = process.argv.slice(2);

function sync(handle) {
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

function save(path, data, temporary) {
  const file = fs.openSync(temporary, 'w');
  fs.writeFileSync(file, data);
  sync(file);
  fs.renameSync(temporary, path);
  sync(fs.openSync(dir, 'r'));
}

function fail(sentence) {
  console.log(sentence);
  process.exit(1);
}

const verbs = {
  op() {
    const line = fs.readFileSync(`${dir}/pending.${worker}`, 'latin1');
    const ledger = fs.readFileSync(`${dir}/ledger`, 'latin1');
    save(`${dir}/ledger`, ledger + line, `${dir}/ledger.${worker}`);
    fs.unlinkSync(`${dir}/pending.${worker}`);
  },
  recover() {
    for (const each of ['a', 'b']) fs.rmSync(`${dir}/ledger.${each}`, { force: true });
  },
  check() {
    const lines = fs.readFileSync(`${dir}/ledger`, 'latin1').split('\n');
    if (lines[0] !== 'start' || lines.some((line) => !['start', 'a', 'b', ''].includes(line))) fail('The ledger is damaged.');
    for (const each of ['a', 'b']) {
      if (lines.includes(each) || fs.existsSync(`${dir}/pending.${each}`)) continue;
      fail(`The line of worker ${each} is neither pending nor in the ledger.`);
    }
  },
};
verbs[verb]();
