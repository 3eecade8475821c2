import type { CodeSample } from "./code-block.ts";

/** The call of a resource, ready to paste, in several languages. The samples read the token from the environment. */
export function requestSamples(baseUrl: string, path: string): readonly CodeSample[] {
  const url = `${baseUrl}${path}`;
  return [
    {
      language: "sh",
      code: `curl --fail-with-body --compressed \\\n  -H "Authorization: Bearer $PARTNER_TOKEN" \\\n  ${url}`,
    },
    {
      language: "python",
      code: `import json, os, sys, urllib.error, urllib.request

request = urllib.request.Request("${url}")
# Unredirected: other headers go along to whatever host a redirect names.
request.add_unredirected_header("Authorization", "Bearer " + os.environ["PARTNER_TOKEN"])
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        print(response.headers["X-Request-Id"], json.load(response))
except urllib.error.HTTPError as refusal:
    sys.exit(f"{refusal.code}, request {refusal.headers['X-Request-Id']}")`,
    },
    {
      language: "ts",
      code: `const response = await fetch("${url}", {
  headers: { authorization: \`Bearer \${process.env.PARTNER_TOKEN}\` },
  signal: AbortSignal.timeout(30_000),
});
if (response.ok) {
  console.log(response.headers.get("x-request-id"), await response.json());
} else {
  console.error(\`\${response.status}, request \${response.headers.get("x-request-id")}\`);
  process.exitCode = 1;
}`,
    },
  ];
}
