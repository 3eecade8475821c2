import { exampleBaseUrl } from "../../cli/partners/folder/site-page.ts";

/**
 * A request that a gateway really answered, and its answer, as `test/integration/docs/exchanges.test.ts`
 * recorded them.
 */
export interface Exchange {
  /** The name of the file in `examples/`, also part of the `X-Request-Id` of the request. */
  readonly name: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** `valid` stands for a token that may not be shown. */
  readonly token: "valid" | "none" | "wrong" | "valid, without the scope" | "valid, its quota used up";
  /** The value of `Snapshot-Since`, where the request has one. */
  readonly snapshotSince?: string;
  readonly status: number;
  /** The reason phrase after the status. */
  readonly reason: string;
  /** The headers as the gateway wrote them, in its order, without `connectionHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The headers that the examples leave out: they describe one connection and one moment. */
export const connectionHeaders: readonly string[] = ["Connection", "Content-Length", "Date", "Keep-Alive"];

/** The page of the folder that shows the exchanges, as Markdown. */
export function examplesMarkdown(exchanges: readonly Exchange[]): string {
  const leftOut = connectionHeaders.map((name) => `\`${name}\``).join(", ");
  return [
    "# Examples",
    `Answers of a real gateway. Their headers are as it wrote them, without ${leftOut}. Their bodies were put into lines, as in the files of \`examples/\`: on the wire each is one line. Companies, programs and people in them are invented.`,
    ...exchanges.flatMap(exchangeBlocks),
  ].join("\n\n");
}

function exchangeBlocks(exchange: Exchange): readonly string[] {
  const { name, title, method, path, token, snapshotSince, status, reason, headers, body } = exchange;
  const sent = [
    `${method} ${exampleBaseUrl}${path} HTTP/1.1`,
    `X-Request-Id: example-${name}`,
    ...authorization(token),
    ...(snapshotSince === undefined ? [] : [`Snapshot-Since: ${snapshotSince}`]),
  ];
  const received = [
    `HTTP/1.1 ${status} ${reason}`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
  ];
  return [
    `## ${title}`,
    `\`\`\`http\n${sent.join("\n")}\n\`\`\``,
    `\`\`\`http\n${received.join("\n")}\n\`\`\``,
    `\`\`\`json\n${JSON.stringify(body)}\n\`\`\``,
    `The body as a file: \`examples/${name}.json\``,
  ];
}

function authorization(token: Exchange["token"]): readonly string[] {
  if (token === "none") return [];
  if (token === "wrong") return ["Authorization: Bearer ppr_mistyped"];
  return [`Authorization: Bearer ppr_...${token === "valid" ? "" : `   (${token.replace("valid, ", "")})`}`];
}
