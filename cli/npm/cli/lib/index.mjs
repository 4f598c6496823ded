import index from "./index.js";

export const { AgentError, CapgenError, check, defineAgent, diff, example, exportManifest, generate, importManifest, lock, validate } = index;
