// Writes schemas/examples: what the API answers for programs of the sandbox, so that the ids in every example
// are those of programs that a partner can ask for. The OpenAPI document and the guide show them: run `npm
// run generate` afterwards.
import { writeFileSync } from "node:fs";
import { compactJson } from "../cli/partners/folder/compact-json.ts";
import { exampleAnswers } from "./examples/example-answers.ts";

for (const [name, answer] of exampleAnswers()) {
  writeFileSync(`schemas/examples/${name}.json`, compactJson(answer, 110));
}
