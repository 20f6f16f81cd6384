// The first script of each instance: reads the compiled core and never ends; the core ends the process.
import * as std from "qjs:std";
import * as os from "qjs:os";
import * as bjson from "qjs:bjson";

const CHUNK_BYTES = 65536;

function load(name) {
  const file = os.open(`prelude:${name}`, os.O_RDONLY);
  let bytes = new ArrayBuffer(CHUNK_BYTES), size = 0;
  for (let read; (read = os.read(file, bytes, size, bytes.byteLength - size)) > 0 && (size += read) === bytes.byteLength; )
    bytes = bytes.transfer(2 * size);
  os.close(file);
  return std.evalScript(bjson.read(bytes, 0, size, bjson.READ_OBJ_BYTECODE), { eval_function: true });
}

load("core")(std, os, load, JSON.parse(scriptArgs[0]));
await new Promise(() => {});
