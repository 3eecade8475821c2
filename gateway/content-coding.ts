/**
 * W46: whether the client prefers gzip to `identity` (RFC 9110 section 12.5.3). A client that forbids `identity` gets it all
 * the same when it does not accept gzip, since the API has no status for that case.
 */
export function prefersGzip(acceptEncoding: string): boolean {
  if (acceptEncoding === "" || !gzipOrAnyPattern.test(acceptEncoding)) return false;
  let gzip: number | undefined;
  let any: number | undefined;
  let identity: number | undefined;
  for (const element of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = element.split(";");
    const weight = weightOf(parameters);
    switch (coding.trim().toLowerCase()) {
      case "gzip":
      case "x-gzip":
        gzip = weight;
        break;
      case "identity":
        identity = weight;
        break;
      case "*":
        any = weight;
        break;
    }
  }
  const preference = gzip ?? any ?? 0;
  // `identity` is acceptable when it is not listed, but gzip is preferred then.
  return preference > 0 && preference >= (identity ?? 0);
}

const gzipOrAnyPattern = /gzip|\*/i;

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameter);
    if (match !== null) return Number(match[1]);
    // A malformed weight does not permit the coding.
    if (/^\s*q\s*=/i.test(parameter)) return 0;
  }
  return 1;
}
