// Findings in the forms that bundlers show.

/**
 * The text with escapes for the characters that a terminal acts on or that are not visible: manifests are written by others. The program
 * escapes them in its JSON, which the parser undoes.
 */
const visible = (text) => text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

/** A finding as a text: its place, the message and the remedy. */
export function shown({ code, severity, message, path, line, column, pointer, notes = [], help }) {
  const place = path === undefined ? "" : `${path}${line === undefined ? "" : `:${line}:${column}`}: `;
  const lines = [`${place}${severity}[${code}]: ${message}`];
  if (pointer) lines.push(`  at ${pointer}`);
  for (const note of notes) if (!note.startsWith("at: ")) lines.push(`  ${note}`);
  if (help) lines.push(`  help: ${help}`);
  return visible(lines.join("\n"));
}

/** The error of a build that has findings. Bundlers show the place of the first one. */
export function buildError({ errors, place }) {
  const error = new Error(errors.map(shown).join("\n\n"));
  error.name = "CapgenFindings";
  error.plugin = "capgen";
  // The place of the finding, not that of this line.
  error.stack = "";
  const located = errors.find(({ path, line }) => path !== undefined && line !== undefined);
  if (located !== undefined) {
    error.id = place(located.path);
    // Columns of bundlers count from 0.
    error.loc = { file: error.id, line: located.line, column: located.column - 1 };
  }
  return error;
}

/** A finding as a message of esbuild. */
export function esbuildMessage(finding, place) {
  const { path, line, column, endLine, endColumn } = finding;
  // The length is in characters, and only known on one line.
  const length = line === endLine ? endColumn - column : 0;
  const location = path === undefined || line === undefined ? null : { file: place(path), line, column: column - 1, length };
  return { pluginName: "capgen", id: finding.code, text: shown(finding), location };
}
