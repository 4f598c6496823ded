"use strict";

const { AgentError, defineAgent } = require("./agent.js");
const { CapgenError } = require("./binary.js");
const commands = require("./commands.js");

module.exports = { AgentError, CapgenError, defineAgent, ...commands };
