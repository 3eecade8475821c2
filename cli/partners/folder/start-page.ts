import { html } from "../../output/html.ts";
import { codeBlock, codeChoice, curlCall } from "./code-block.ts";
import type { Company } from "./company.ts";
import type { SitePage } from "./site-page.ts";

/** The first page: the steps from the folder and a token to a copy of the programs, and the other contents of the folder. */
export function startPage({ name, baseUrl, contact, hasSandbox }: Company): SitePage {
  const body = html`<h1>The programs of ${name} on your servers</h1>
<p class="lead">A read-only JSON API: one request lists all tour programs that ${name} offers to the public, another one gives the detail of
a program. From here to a copy that keeps itself up to date takes about 15 minutes.</p>
<table class="facts"><tbody>
<tr><th scope="row">base address</th><td><code>${baseUrl}</code></td></tr>
<tr><th scope="row">authentication</th><td><code>Authorization: Bearer ppr_...</code>, your token, from your servers only</td></tr>
<tr><th scope="row">questions</th><td><a href="${contact.href}">${contact.text}</a>; give the request id, never the token</td></tr>
</tbody></table>
<ol class="steps">
<li><h2 id="ask">Ask once</h2>
<p>Put the token where your secrets are. For a try on your own machine, run this, paste the token (you will see nothing) and press Enter; so it stands in no history:</p>
${codeBlock("read -rs PARTNER_TOKEN && export PARTNER_TOKEN")}
${codeBlock(curlCall(`${baseUrl}/v1/programs`))}
<p>A 200 with <code>{"data":[...],"meta":{"count":...}}</code> means that all is well. Anything else: <a href="what-can-go-wrong.html">what can go wrong</a>.</p></li>
<li><h2 id="look">Look at what you get</h2>
<p>The <a href="reference.html">reference</a> has every field, <a href="examples.html">examples</a> has real answers. Every key is always there; what is
not known is <code>null</code>, or <code>[]</code>. Fields may be added, so do not refuse those that you do not know.</p></li>
<li><h2 id="copy">Copy the client</h2>
<p>It keeps your copy, asks for what has changed and stays below your quota. It needs nothing but the language. In the folder of your language, with
the token in <code>PARTNER_TOKEN</code>:</p>
${codeChoice([
  { language: "python", code: "cd client/python\npython3 first_sync.py" },
  { language: "js", code: "cd client/javascript\nnode first-sync.js" },
  {
    language: "ts",
    code: "cd client/typescript\nnode first-sync.ts   # Node.js 22.18 or later; older ones run client/javascript",
  },
])}
<p>The first run makes one request for the list and one for each program; the second one finds nothing new with a single request. Then put the files into your own program: <a href="client.html">the client</a>.</p></li>
<li><h2 id="run">Let it run</h2>
<p>Every two minutes is a good interval. Before you go live:</p>
<ul>
<li>The token comes from a secret store and stands in no log, browser or app.</li>
<li>An alert when <code>sync</code> throws: a 401 or a 403 needs a person, not another try. Meanwhile you show your copy.</li>
<li>You log the request id of each call.</li>
<li>You show no program whose <code>departureDate</code> is over, and sell none whose <code>capacity.remaining</code> is 0.</li>
<li>Dates are calendar dates without a time zone; amounts are decimals in the program's <code>currency</code>.</li>
</ul></li>
</ol>
<h2 id="before">Before you have a token</h2>
<p>A mock answers with programs for tests, each by its id, and with each refusal. It needs Node.js. The client copies it with
<code>PARTNER_API=http://127.0.0.1:4010</code> and any token:</p>
${codeBlock(`node mock/mock-api.mjs
curl --compressed -H "Authorization: Bearer any" http://127.0.0.1:4010/v1/programs`)}
${
  hasSandbox &&
  html`<p>Then ask <a href="${contact.href}">${contact.text}</a> for the tokens of the <a href="sandbox.html">sandbox</a>: a company for tests on the real
API, with programs of well-known ids and a token for each kind of answer, refusals too.</p>`
}
<h2 id="folder">What is in this folder</h2>
<table><thead><tr><th scope="col">file</th><th scope="col">for</th></tr></thead><tbody>
<tr><th scope="row"><a href="guide.html">guide.html</a></th><td data-label="for">all rules: tokens, freshness, errors, rate limits, compatibility</td></tr>
<tr><th scope="row"><a href="reference.html">reference.html</a></th><td data-label="for">every resource, parameter, status, header and field</td></tr>
<tr><th scope="row"><a href="examples.html">examples.html</a>, <code>examples/</code></th><td data-label="for">answers of a real gateway, also as files for your tests</td></tr>
<tr><th scope="row"><a href="what-can-go-wrong.html">what-can-go-wrong.html</a></th><td data-label="for">every status and what to do</td></tr>
<tr><th scope="row"><a href="changes.html">changes.html</a></th><td data-label="for">the versions, what counts as breaking, notice periods</td></tr>
<tr><th scope="row"><a href="openapi.json">openapi.json</a></th><td data-label="for">OpenAPI 3.1, for generators, validators and mocks; Postman and Bruno import it</td></tr>
<tr><th scope="row"><code>mock/</code></th><td data-label="for">a mock of the API, for a start without a token</td></tr>
<tr><th scope="row"><a href="client.html">client.html</a>, <code>client/</code></th><td data-label="for">the client in TypeScript, JavaScript and Python</td></tr>
${hasSandbox && html`<tr><th scope="row"><a href="sandbox.html">sandbox.html</a>, <code>sandbox-tour.sh</code></th><td data-label="for">programs and tokens for your tests, and a tour of all answers</td></tr>`}
</tbody></table>`;
  return { name: "index", title: "Start", body: body.markup };
}
