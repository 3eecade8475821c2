// `node --import` this to run a TypeScript file of the project as a process of its own.
import { register } from "node:module";

register("./typescript-loader.mjs", import.meta.url);
