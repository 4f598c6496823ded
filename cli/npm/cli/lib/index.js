"use strict";

const { CapgenError } = require("./binary.js");
const commands = require("./commands.js");

module.exports = { CapgenError, ...commands };
