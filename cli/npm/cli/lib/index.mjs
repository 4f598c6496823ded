export { CapgenError, check, generate } from "./index.js";
