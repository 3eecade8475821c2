import type { CodeSample } from "./code-block.ts";

/** The call of a resource as a partner would paste it; the token comes from the environment and stands in no sample. */
export function requestSamples(baseUrl: string, path: string): readonly CodeSample[] {
  const url = `${baseUrl}${path}`;
  return [
    {
      language: "sh",
      code: `curl --compressed -H "Authorization: Bearer $PARTNER_TOKEN" \\\n  ${url}`,
    },
    {
      language: "python",
      code: `import json, os, urllib.request

request = urllib.request.Request("${url}")
# Unredirected: other headers go along to whatever host a redirect names.
request.add_unredirected_header("Authorization", "Bearer " + os.environ["PARTNER_TOKEN"])
with urllib.request.urlopen(request, timeout=30) as response:
    print(response.headers["X-Request-Id"], json.load(response))`,
    },
    {
      language: "ts",
      code: `const response = await fetch("${url}", {
  headers: { authorization: \`Bearer \${process.env.PARTNER_TOKEN}\` },
  signal: AbortSignal.timeout(30_000),
});
if (!response.ok) throw new Error(\`\${response.status}, request \${response.headers.get("x-request-id")}\`);
console.log(await response.json());`,
    },
    {
      language: "go",
      code: `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	request, err := http.NewRequest("GET", "${url}", nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PARTNER_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}`,
    },
  ];
}
