// SPDX-License-Identifier: Apache-2.0
// Writes the clients from the project's own .proto files, offline.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(web, "..", "wire", "src", "main", "proto");
const staged = join(web, "node_modules", ".cache", "pipecd-proto");

// The server checks requests; a browser that carried the rules too would only be larger,
// so the option lists `[…]` and the import that defines them are left out.
function withoutRules(proto) {
  let text = "";
  let depth = 0;
  for (const [token] of proto.matchAll(/\/\/[^\n]*|"(?:[^"\\]|\\.)*"|[[\]]|[^"[\]/]+|\//g)) {
    if (token === "[") depth++;
    if (depth === 0) text += token;
    if (token === "]") depth--;
  }
  return text.replace('import "buf/validate/validate.proto";\n', "");
}

rmSync(staged, { recursive: true, force: true });
for (const folder of ["model", "service/webservice", "pipecd/health/v1"]) {
  mkdirSync(join(staged, folder), { recursive: true });
  for (const name of readdirSync(join(source, folder)).filter((file) => file.endsWith(".proto"))) {
    const proto = readFileSync(join(source, folder, name), "utf8");
    writeFileSync(join(staged, folder, name), withoutRules(proto));
  }
}
rmSync(join(web, "src", "api", "gen"), { recursive: true, force: true });
const buf = join(web, "node_modules", ".bin", "buf");
const services = ["service/webservice", "pipecd/health/v1"];
const wanted = [...services.flatMap((folder) => ["--path", join(staged, folder)]), "--include-imports"];
execFileSync(buf, ["generate", staged, "--template", "buf.gen.yaml", ...wanted], {
  cwd: web,
  stdio: "inherit",
});
