// Reads a job from stdin and writes its result to stdout, both JSON.
//   {"check": [{"files": [["a.ts", "..."]], "options": {"strict": true}}]}
//     -> for each program its errors: [[{"file", "line", "code", "message"}]]
//   {"outlines": ["..."]} -> the top-level statements of each text: [["type A", "function b"]]
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import ts from "typescript";

const FOLDER = "/virtual";
const LIBRARY = dirname(ts.getDefaultLibFilePath({}));
const PACKAGES = `${FOLDER}/node_modules`;
const libraries = new Map();

/** Where a file is on disk: the packages that are installed here are below the virtual folder. */
const real = (path) => (path.startsWith(PACKAGES) ? `${import.meta.dirname}/node_modules${path.slice(PACKAGES.length)}` : path);

function librarySource(path) {
  if (!libraries.has(path)) {
    const text = ts.sys.readFile(real(path));
    libraries.set(path, text && ts.createSourceFile(path, text, ts.ScriptTarget.ES2022));
  }
  return libraries.get(path);
}

function host(files) {
  const sources = new Map();
  return {
    getSourceFile(path) {
      if (!files.has(path)) return librarySource(path);
      if (!sources.has(path)) {
        sources.set(path, ts.createSourceFile(path, files.get(path), ts.ScriptTarget.ES2022, true));
      }
      return sources.get(path);
    },
    getDefaultLibFileName: (options) => `${LIBRARY}/${ts.getDefaultLibFileName(options)}`,
    getDefaultLibLocation: () => LIBRARY,
    getCurrentDirectory: () => FOLDER,
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (path) => files.has(path) || ((path.startsWith(LIBRARY) || path.startsWith(PACKAGES)) && ts.sys.fileExists(real(path))),
    directoryExists: (path) => (path.startsWith(FOLDER) && !path.startsWith(PACKAGES)) || ts.sys.directoryExists(real(path)),
    readFile: (path) => files.get(path) ?? ts.sys.readFile(real(path)),
    writeFile() {},
  };
}

function check({ files, options }) {
  const json = {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    moduleDetection: "force",
    lib: ["es2022"],
    types: [],
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    ...options,
  };
  const { options: compiler, errors } = ts.convertCompilerOptionsFromJson(json, FOLDER);
  const texts = new Map(files.map(([name, text]) => [`${FOLDER}/${name}`, text]));
  const program = ts.createProgram({ rootNames: [...texts.keys()], options: compiler, host: host(texts) });
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map((error) => ({
    file: error.file?.fileName.slice(FOLDER.length + 1) ?? "",
    line: error.file ? error.file.getLineAndCharacterOfPosition(error.start).line + 1 : 0,
    code: error.code,
    message: ts.flattenDiagnosticMessageText(error.messageText, "\n"),
  }));
}

function outline(text) {
  const file = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2022, true);
  const words = {
    [ts.SyntaxKind.TypeAliasDeclaration]: "type",
    [ts.SyntaxKind.InterfaceDeclaration]: "interface",
    [ts.SyntaxKind.FunctionDeclaration]: "function",
    [ts.SyntaxKind.ClassDeclaration]: "class",
    [ts.SyntaxKind.VariableStatement]: "const",
    [ts.SyntaxKind.ImportDeclaration]: "import",
    [ts.SyntaxKind.ExportDeclaration]: "export",
  };
  return file.statements.map((statement) => {
    const word = words[statement.kind] ?? ts.SyntaxKind[statement.kind];
    const tags = ts.getJSDocTags(statement).map((tag) => ` @${tag.tagName.text}`);
    const { name } = statement.declarationList?.declarations[0] ?? statement;
    return `${word} ${name?.text ?? ""}${tags.join("")}`;
  });
}

const job = JSON.parse(readFileSync(0, "utf8"));
const result = "outlines" in job ? job.outlines.map(outline) : job.check.map(check);
process.stdout.write(JSON.stringify(result));
