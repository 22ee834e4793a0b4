// Builds dist/graphs.js from src/, or with --test builds and runs the tests of test/; see ../page.mjs.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { make } from "../../page.mjs";

process.chdir(dirname(fileURLToPath(import.meta.url)));
await make("graphs", build, ["../../live/timeline/src/text.ts"]);
