// Makes a worker the leader when the lease has run out. Usage: node program.js op|recover|check DIR [WORKER]
'use strict';
const fs = require('node:fs');

const LASTING = '9999999999\n'; // until it is given up
const [verb, dir, worker = 'a'] = process.argv.slice(2);
const lease = `${dir}/lease`;
const leads = (who) => fs.existsSync(`${dir}/leads.${who}`);

const verbs = {
  op() {
    if (fs.existsSync(lease)) {
      if (Number(fs.readFileSync(lease, 'latin1')) * 1000 > Date.now()) return;
      fs.unlinkSync(lease);
    }
    try {
      fs.writeFileSync(lease, LASTING, { flag: 'wx' });
    } catch (error) {
      if (error.code === 'EEXIST') return;
      throw error;
    }
    fs.writeFileSync(`${dir}/leads.${worker}`, '');
  },
  recover() {
    if (!leads('a') && !leads('b')) fs.rmSync(lease, { force: true });
  },
  check() {
    if (!leads('a') || !leads('b')) return;
    console.log('Both workers lead.');
    process.exit(1);
  },
};
verbs[verb]();
