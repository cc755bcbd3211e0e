// Runs a program in WebAssembly, in node: the one function that it asks for prints.
import { readFileSync, writeSync } from "node:fs";

const [, , file] = process.argv;
const text = [];
const imports = {
  board: {
    print(start, length) {
      text.push(Buffer.from(instance.exports.memory.buffer, start, length).toString("latin1"));
    },
  },
};
const { instance } = await WebAssembly.instantiate(readFileSync(file), imports);
instance.exports.start();
writeSync(1, text.join(""));
