// Puts a pending configuration in force. Usage: node program.js op|recover|check DIR
'use strict';
const fs = require('node:fs');

const [OLD, NEW] = ['limit 10\n', 'limit 20\n'];
const [verb, dir] = process.argv.slice(2);

function install(wanted) {
  const temporary = `${dir}/config.tmp`;
  try {
    const file = fs.openSync(temporary, 'w');
    fs.writeFileSync(file, wanted);
    fs.fsyncSync(file);
    fs.closeSync(file);
    fs.renameSync(temporary, `${dir}/config`);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

function fail(sentence) {
  console.log(sentence);
  process.exit(1);
}

const verbs = {
  op() {
    install(fs.readFileSync(`${dir}/pending`));
    fs.unlinkSync(`${dir}/pending`);
  },
  recover() {
    fs.rmSync(`${dir}/config.tmp`, { force: true });
  },
  check() {
    const config = fs.existsSync(`${dir}/config`) ? fs.readFileSync(`${dir}/config`, 'latin1') : '';
    if (config !== OLD && config !== NEW) fail('The configuration is neither the old one nor the new one.');
    if (config === OLD && !fs.existsSync(`${dir}/pending`)) fail('The pending configuration is gone, and not in force.');
  },
};
verbs[verb]();
