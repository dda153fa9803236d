// Runs a Python script in Pyodide; what it imports is in the folders.
// node --experimental-wasm-jspi run.mjs SCRIPT FOLDER...    (browsers need no such flag)
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { loadPyodide } from "pyodide";

const [script, ...folders] = process.argv.slice(2);
const pyodide = await loadPyodide();
const places = folders.map((folder, number) => {
  const place = `/mounted/${number}`;
  pyodide.FS.mkdirTree(place);
  pyodide.mountNodeFS(place, folder);
  return place;
});
pyodide.globals.set("places", pyodide.toPy(places));
pyodide.runPython("import sys; sys.dont_write_bytecode = True; sys.path += places; del places");
await pyodide.runPythonAsync(readFileSync(script, "utf8"), { filename: basename(script) });
process.exit(0); // Pyodide would keep waiting for work
