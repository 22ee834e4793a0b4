// Builds dist/timeline.js from src/, or with --test builds and runs the tests of test/; see ../page.mjs.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { make } from "../../page.mjs";

process.chdir(dirname(fileURLToPath(import.meta.url)));
await make("timeline", build);
