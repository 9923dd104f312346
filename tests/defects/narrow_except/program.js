// Moves a message on, or aside when that fails: none may be lost. Usage: node program.js op|recover|check DIR
'use strict';
const fs = require('node:fs');

const MESSAGE = 'pay 7\n';
const [verb, dir] = process.argv.slice(2);
const whole = (name) => fs.existsSync(`${dir}/${name}`) && fs.readFileSync(`${dir}/${name}`, 'latin1') === MESSAGE;

function sync(handle) {
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

function store(name, message) {
  const file = fs.openSync(`${dir}/${name}`, 'w');
  fs.writeFileSync(file, message);
  sync(file);
  sync(fs.openSync(dir, 'r'));
}

const verbs = {
  op() {
    const message = fs.readFileSync(`${dir}/inbox`);
    try {
      store('outbox', message);
    } catch (error) {
      if (error.code !== 'EACCES') throw error;
      store('spool', message);
    } finally {
      fs.unlinkSync(`${dir}/inbox`);
    }
  },
  recover() {
    for (const name of ['outbox', 'spool']) if (!whole(name)) fs.rmSync(`${dir}/${name}`, { force: true });
  },
  check() {
    if (['inbox', 'outbox', 'spool'].some(whole)) return;
    console.log('The message is lost.');
    process.exit(1);
  },
};
verbs[verb]();
