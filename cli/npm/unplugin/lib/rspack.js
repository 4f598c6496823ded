import { capgen } from "./index.js";

export default capgen.rspack;
