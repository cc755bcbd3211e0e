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
const module = await WebAssembly.compile(readFileSync(file));
// A function that nobody defines is asked for here: the one that the handler of panics calls, say.
const wanted = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`);
if (wanted.join() !== "board.print") {
  console.error(`it asks for ${wanted.join(", ")}: board.print and nothing else was expected`);
  process.exit(1);
}
const instance = await WebAssembly.instantiate(module, imports);
instance.exports.start();
writeSync(1, text.join(""));
