// What the language server of VS Code makes of scenarios and the schema that their "$schema" names: no diagnostic on
// those that are shipped, diagnostics at the mistakes of broken ones, completions with their help.
//   node editor.js NODE_MODULES
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { getLanguageService, TextDocument } = require(path.join(process.argv[2], "vscode-json-languageservice"));

const scenarios = path.resolve(__dirname, "../../scenarios");
const service = getLanguageService({
  schemaRequestService: async (uri) => fs.readFileSync(fileURLToPath(uri), "utf8"),
  workspaceContext: { resolveRelativePath: (relative, resource) => new URL(relative, resource).href },
});
service.configure({ validate: true });

const opened = (text, file) => {
  const document = TextDocument.create(pathToFileURL(file).href, "jsonc", 1, text);
  return [document, service.parseJSONDocument(document)];
};

// The texts with a diagnostic, and its message.
async function diagnostics(text, file = path.join(scenarios, "new.json")) {
  const [document, json] = opened(text, file);
  const found = await service.doValidation(document, json, { comments: "ignore" });
  return found.map((d) => [document.getText(d.range), d.message]);
}

// Documentation by label of what the server offers at the "|" of a text.
async function completions(text) {
  const [document, json] = opened(text.replace("|", ""), path.join(scenarios, "new.json"));
  const list = await service.doComplete(document, document.positionAt(text.indexOf("|")), json);
  return new Map(list.items.map((item) => [item.label.replaceAll('"', ""), item.documentation?.value ?? item.documentation]));
}

const files = (folder) => fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((f) => f.name.endsWith(".json") && f.name !== "scenario.schema.json")
  .map((f) => path.join(f.parentPath ?? f.path, f.name));

async function shipped() {
  const all = files(scenarios);
  assert(all.length > 100, `found only ${all.length} scenarios`);
  for (const file of all) {
    const text = fs.readFileSync(file, "utf8");
    assert.deepStrictEqual(await diagnostics(text, file), [], file);
    // The server has read the schema that the file names: it sees a key that no scenario has.
    const broken = text.replace('"$schema"', '"no_such_key": 1, "$schema"');
    assert.deepStrictEqual((await diagnostics(broken, file)).map(([where]) => where), ['"no_such_key"'], file);
  }
  return all.length;
}

async function broken() {
  const head = '{ "$schema": "./scenario.schema.json", ';
  const cases = [
    // unknown key
    [`${head}"protocol": { "type": "central_async", "rhoo": 1 } }`, '"rhoo"', /rhoo is not allowed/],
    [`${head}"netwerk": {} }`, '"netwerk"', /netwerk is not allowed/],
    // wrong type
    [`${head}"data": { "type": "lending_like", "owners": "three" } }`, '"three"', /Expected one of integer/],
    [`${head}"network": { "latency": { "type": "uniform", "max": "15 sm" } } }`, '"15 sm"', /duration such as "15 ms"/],
    // out of range
    [`${head}"data": { "type": "lending_like", "owners": 0 } }`, "0", /below the minimum of 1/],
    [`${head}"network": { "latency": { "type": "uniform", "max": -1 } } }`, "-1", /below the minimum of 0/],
  ];
  for (const [text, where, message] of cases) {
    const found = await diagnostics(text);
    assert.deepStrictEqual(found.map(([place]) => place), [where], text);
    assert.match(found[0][1], message);
  }
}

async function offered() {
  const head = '{ "$schema": "./scenario.schema.json", ';
  const protocols = await completions(`${head}"protocol": { "type": "|" } }`);
  for (const name of ["central_async", "fedavg", "async_mtl"]) assert(protocols.get(name)?.length > 20, `no help of ${name}`);
  const short = await completions(`${head}"protocol": "|" }`);
  assert.strictEqual(short.get("fedavg"), protocols.get("fedavg"));
  const options = await completions(`${head}"protocol": { "type": "central_async", | } }`);
  assert.match(options.get("rho"), /step size is rho/);
  assert(!options.has("local_steps"), "an option of another protocol is offered");
  const choices = await completions(`${head}"record": { "keep": "|" } }`);
  assert.match(choices.get("aggregate"), /quantiles/);
}

(async () => {
  const count = await shipped();
  await broken();
  await offered();
  console.log(`editor: no diagnostic on ${count} scenarios; mistakes are found, and options and names offered with their help`);
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
