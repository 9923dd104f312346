// Keeps a log of one record a line. Usage: node program.js op|recover|check DIR
'use strict';
const fs = require('node:fs');

const [verb, dir] = process.argv.slice(2);

function torn(log) {
  const { size } = fs.fstatSync(log);
  const last = Buffer.alloc(1);
  return size > 0 && fs.readSync(log, last, 0, 1, size - 1) === 1 && last[0] !== 10;
}

function append(record) {
  const log = fs.openSync(`${dir}/log`, 'a+');
  fs.writeFileSync(log, `${torn(log) ? '\n' : ''}${record}\n`);
  fs.fsyncSync(log);
  fs.closeSync(log);
}

function fail(sentence) {
  console.log(sentence);
  process.exit(1);
}

const verbs = {
  op: () => append('second'),
  recover: () => append('recovered'),
  check() {
    const lines = fs.readFileSync(`${dir}/log`, 'latin1').split('\n');
    if (lines[0] !== 'first') fail('The first record is lost.');
    for (const record of ['second', 'recovered']) {
      if (lines.some((line) => line.endsWith(record) && line !== record)) fail(`The record ${record} is lost in a torn line.`);
    }
  },
};
verbs[verb]();
