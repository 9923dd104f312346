// Lets one worker, and no other, run a task. Usage: node program.js op|recover|check DIR [WORKER]
'use strict';
const fs = require('node:fs');

const [verb, dir, worker = 'a'] = process.argv.slice(2);
const ran = (who) => fs.existsSync(`${dir}/ran.${who}`);

const verbs = {
  op() {
    try {
      fs.writeFileSync(`${dir}/claim`, '', { flag: 'wx' });
    } catch (error) {
      if (error.code === 'EEXIST') return;
      throw error;
    }
    fs.writeFileSync(`${dir}/ran.${worker}`, '');
  },
  recover() {
    if (!ran('a') && !ran('b')) fs.rmSync(`${dir}/claim`, { force: true });
  },
  check() {
    if (!ran('a') || !ran('b')) return;
    console.log('Both workers ran the task.');
    process.exit(1);
  },
};
verbs[verb]();
