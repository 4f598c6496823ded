// One schema compiled to a validator by each peer.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { validator } from "@exodus/schemasafe";
import { FormatRegistry, Kind, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import Ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { parse } from "yaml";

/** The input schema of the only capability of a contract. */
export function load(path) {
  return parse(readFileSync(path, "utf8")).capabilities[0].inputSchema;
}

export async function peers(schema, name) {
  const module = await import(`./generated/bench-${name}.js`);
  const is = Object.keys(module).find((key) => key.startsWith("is") && key.endsWith("Request"));
  const strict = validator(schema, { mode: "default", isJSON: false });
  const compiled = TypeCompiler.Compile(typebox(schema, schema.definitions ?? {}));
  return {
    capgen: module[is],
    ajv: ajv(schema),
    schemasafe: strict,
    typebox: (value) => compiled.Check(value),
  };
}

function ajv(schema) {
  const instance = new Ajv.default({ code: { source: true }, strict: true });
  addFormats.default(instance);
  const module = { exports: {} };
  const require = createRequire(import.meta.url);
  // The standalone code, as a CommonJS module.
  new Function("module", "exports", "require", standalone.default(instance, instance.compile(schema)))(
    module,
    module.exports,
    require,
  );
  return module.exports;
}

for (const format of ["uuid", "email", "date-time", "uri", "uri-reference"]) {
  const check = fullFormats[format];
  const accepts = check instanceof RegExp ? (text) => check.test(text) : typeof check === "function" ? check : check.validate;
  FormatRegistry.Set(format, (text) => accepts(text));
}

/** The TypeBox type that is equivalent to the schema of one of these payloads. */
function typebox(schema, definitions) {
  const of = (inner) => typebox(inner, definitions);
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    const target = definitions[name];
    // The enclosing type, to which the reference points.
    if (Kind in target) return target;
    if (!JSON.stringify(target).includes(`"${schema.$ref}"`)) return of(target);
    return Type.Recursive((self) => typebox(target, { ...definitions, [name]: self }));
  }
  const only = (types) => (types.length === 1 ? types[0] : Type.Union(types));
  if ("const" in schema) return Type.Literal(schema.const);
  if (schema.enum) return only(schema.enum.map((value) => (value === null ? Type.Null() : Type.Literal(value))));
  if (schema.oneOf ?? schema.anyOf) return only((schema.oneOf ?? schema.anyOf).map(of));
  const { type, properties, required = [], items, definitions: _, ...options } = schema;
  if (Array.isArray(type)) return only(type.map((one) => of({ ...schema, type: one })));
  switch (type) {
    case "object": {
      const members = Object.entries(properties).map(([name, inner]) => {
        return [name, required.includes(name) ? of(inner) : Type.Optional(of(inner))];
      });
      return Type.Object(Object.fromEntries(members), options);
    }
    case "array":
      return Type.Array(of(items), options);
    case "string":
      return Type.String(options);
    case "integer":
      return Type.Integer(options);
    case "number":
      return Type.Number(options);
    case "boolean":
      return Type.Boolean(options);
    default:
      return Type.Null();
  }
}
