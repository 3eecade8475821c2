import { authorized, describeWire, request, type WireCase } from "../../support/gateway-wire.ts";

function target(name: string, raw: string, answer: string, ending: WireCase["ending"] = "open"): WireCase {
  return { name: `${name} (${raw})`, send: request(`GET ${raw}`, authorized), answers: [answer], ending };
}

const notFound = "404 not_found";
const invalid = "400 invalid_request";

describeWire("W1, W20 check 2: the path names a resource", [
  target("W2 the list", "/v1/programs", "200 list"),
  target("a detail", "/v1/programs/p1", "200 detail p1"),
  target("the legacy resource", "/api/v1/partner/programs", "200 legacy"),
  target("W5 a query is ignored", "/v1/programs?page=2", "200 list"),
  target("a companyId in the query changes nothing", "/v1/programs?companyId=globex", "200 list"),
  target("W23 an absolute-form target", "http://elsewhere.example/v1/programs", "200 list"),
  target("an absolute-form target with https", "https://elsewhere.example/v1/programs/p2", "200 detail p2"),
  target("an absolute-form target with an odd authority", "http://[/v1/programs", "200 list"),
  target("an absolute-form target without a path", "http://elsewhere.example", notFound),
  target("an absolute-form target with another scheme", "ftp://elsewhere.example/v1/programs", notFound),
  target("the root", "/", notFound),
  target("an unknown path", "/v1", notFound),
  target("a longer path", "/v1/programs/p1/rooms", notFound),
  target("a trailing slash on the list", "/v1/programs/", notFound),
  target("a trailing slash on a detail", "/v1/programs/p1/", notFound),
  target("two slashes first", "//v1/programs", notFound),
  target("two slashes within", "/v1//programs", notFound),
  target("a dot segment", "/v1/./programs", notFound),
  target("a double-dot segment", "/v1/x/../programs", notFound),
  target("parameters on the list", "/v1/programs;v=1", notFound),
  target("an encoded letter in the fixed part", "/v1/%70rograms", notFound),
  target("another case", "/V1/programs", notFound),
  target("health is not on this listener", "/healthz", notFound),
  target("metrics are not on this listener", "/metrics", notFound),
  target("the asterisk with GET", "*", notFound),
  target("W24 a fragment", "/v1/programs#top", invalid, "closed"),
  target("a raw byte above ASCII", "/v1/programs/caf\xe9", invalid, "closed"),
  target("a control character", "/v1/programs/\x01", invalid, "closed"),
  target("a target that begins with neither slash nor scheme", "v1/programs", invalid, "closed"),
]);

describeWire("W21 check 7: a detail's id is one segment, decoded once, and well formed", [
  target("all characters that an id may have", "/v1/programs/A~b._-9", "200 detail A~b._-9"),
  target("an encoded id", "/v1/programs/%70%31", "200 detail p1"),
  target("an id of 128 characters", `/v1/programs/${"a".repeat(128)}`, notFound),
  target("an id of 129 characters", `/v1/programs/${"a".repeat(129)}`, invalid),
  target("an id encoded twice is decoded once", "/v1/programs/%2570%2531", invalid),
  target("a percent sign alone", "/v1/programs/%", invalid),
  target("a percent sign with no hex digits", "/v1/programs/%zz", invalid),
  target("an encoding that is no UTF-8", "/v1/programs/%ff", invalid),
  target("an encoded slash", "/v1/programs/p1%2Frooms", invalid),
  target("an encoded NUL", "/v1/programs/p1%00", invalid),
  target("an encoded line break", "/v1/programs/p1%0d%0aX-A:%20b", invalid),
  target("a dot", "/v1/programs/.", invalid),
  target("two dots", "/v1/programs/..", invalid),
  target("a leading tilde", "/v1/programs/~p1", invalid),
  target("__proto__", "/v1/programs/__proto__", invalid),
]);

describeWire("W3 check 8: the tenant's live snapshot names the id", [
  target("an unknown id", "/v1/programs/p3", notFound),
  target("another tenant's id", "/v1/programs/g1", notFound),
  target("an id in another case", "/v1/programs/P1", notFound),
  target("W22 constructor", "/v1/programs/constructor", notFound),
  target("the manifest's name", "/v1/programs/manifest.json", notFound),
]);
