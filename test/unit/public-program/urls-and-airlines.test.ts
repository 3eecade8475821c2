import { describe, expect, test } from "vitest";
import { published } from "../../support/program-source.ts";

describe("URLs", () => {
  test.each([
    ["https://cdn.example.com/köln.jpg", "https://cdn.example.com/k%C3%B6ln.jpg"],
    ["https://media.example/a[1].jpg", "https://media.example/a%5B1%5D.jpg"],
    ["https://media.example/100%", "https://media.example/100%25"],
    ["https://media.example/%C3%BC ü", "https://media.example/%C3%BC%20%C3%BC"],
    ["https://bücher.example/straße.jpg", "https://xn--bcher-kva.example/stra%C3%9Fe.jpg"],
    ["HTTPS://BÜCHER.Example:8443/A", "HTTPS://xn--bcher-kva.example:8443/A"],
    ["https://[2001:db8::1]/ä", "https://[2001:db8::1]/%C3%A4"],
    ["https://موقع.example/شعار.svg", "https://xn--4gbrim.example/%D8%B4%D8%B9%D8%A7%D8%B1.svg"],
  ])("D31 %s is published as the URI %s", (coverUrl, uri) => {
    const { detail, warnings } = published({ coverUrl, galleryUrls: [coverUrl, uri] });
    expect([detail.media, warnings]).toEqual([{ coverUrl: uri, galleryUrls: [uri, uri] }, []]);
  });

  test.each([
    "http://media.example/a.jpg",
    "//media.example/a.jpg",
    "/a.jpg",
    "a.jpg",
    "https:media.example/a.jpg",
    "https:/media.example/a.jpg",
    "https://",
    "https:///a.jpg",
    "https://?a",
    "ftp://media.example/a",
    "javascript:alert(1)",
    "data:image/png;base64,AAAA",
    " https://media.example/a.jpg",
    "https://media.example\\a.jpg",
    "https://mediä.example\\a.jpg",
    "https://mediä\n.example/a.jpg",
    "https://media.example|a/b.jpg",
    "https://{host}/b.jpg",
    'https://a"b.example/',
    "https://media.example:８０/",
    "https://a.example:8a/",
    "https://ａ＠b.example/",
    "https://[2001:db8::zz]/a",
    "https://[fe80::1%25eth0]/a",
    "https://[v1.a]/a",
    "https://[::1]x/a",
    "https://1.2.3.999/",
    "https://a%zz.example/",
    "https:\\\\media.example\\a",
    "https://exa mple/",
    "https://host:99999/",
    "https://%00/",
  ])("D31 %j is no absolute https URL, so it is dropped with a warning", (coverUrl) => {
    const { detail, warnings } = published({ coverUrl });
    expect(detail.media).toBeNull();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^url_dropped media\.coverUrl = /);
  });

  const label = "a".repeat(63);
  const longest = `${label}.${label}.${label}.${"a".repeat(61)}`;
  test.each([
    `https://${longest}/a`,
    `https://${longest}./a`,
    `https://${label}.example`,
    // An escape is one octet of the name.
    `https://${"%61".repeat(63)}.example/`,
    // What vanishes in ASCII does not count.
    `https://xn--bcher-kva.example/`,
  ])("D140 a host of as many octets as a name may have is published: %s", (coverUrl) => {
    expect(published({ coverUrl })).toMatchObject({ detail: { media: { coverUrl } }, warnings: [] });
  });

  test.each([
    `https://${longest}a/a`,
    `https://a${label}.example`,
    `https://${"%61".repeat(64)}.example/`,
    `https://${"ü".repeat(63)}.example/`,
    `https://${"a.".repeat(128)}/`,
    // `domainToASCII` takes a minute for each of these.
    `https://${"ü".repeat(340_000)}.example/`,
    `https://ü${"a".repeat(340_000)}.example/`,
    `https://ü${"\u00ad".repeat(340_000)}.example/`,
  ])("D140 a longer one, or one with a longer label, is none: %#", (coverUrl) => {
    const { detail, warnings } = published({ coverUrl });
    expect(detail.media).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/^url_dropped media\.coverUrl = https:/)]);
  });

  test.each([`https://u\u0308.example/`, `https://${"\u00ad".repeat(900)}u\u0308.example/`])(
    "D140 only the octets of the name in ASCII count: %#",
    (coverUrl) => expect(published({ coverUrl }).detail.media?.coverUrl).toBe("https://xn--tda.example/"),
  );

  test.each([
    "https://user:secret@media.example/a",
    "https://user@media.example/?secret",
    "https://:secret@media.example/a",
    "https://@media.example/",
    "https://user:se/secret@media.example/",
    "https:user:secret@media.example/",
    "https:\\\\user:secret@media.example/",
    "http://user:secret@media.example/",
    "https://a@secret@media.example/",
  ])("%s has user information: it is dropped, and the report shows nothing before the @", (coverUrl) => {
    const { detail, warnings } = published({ coverUrl, galleryUrls: [coverUrl] });
    expect(detail.media).toBeNull();
    expect(warnings.map((warning) => warning.split(" = ")[0])).toEqual([
      "url_dropped media.coverUrl",
      "url_dropped media.galleryUrls[0]",
    ]);
    expect(warnings.join().replaceAll("?secret", "")).not.toContain("secret");
  });

  test("the gallery keeps its order and loses what is unusable or blank", () => {
    const { detail, warnings } = published({
      galleryUrls: ["https://a.example/2", "http://a.example/x", null, "https://a.example/1", " "],
    });
    expect(detail.media).toEqual({
      coverUrl: null,
      galleryUrls: ["https://a.example/2", "https://a.example/1"],
    });
    expect(warnings).toEqual([
      "url_dropped media.galleryUrls[1] = http://a.example/x",
      "text_missing media.galleryUrls[2] = null",
      "text_missing media.galleryUrls[4] =  ",
    ]);
  });
});

describe("airlines", () => {
  test("D32 are distinct by code, in source order; the first usable logo of a code is taken", () => {
    const { detail, warnings } = published({
      flights: [
        ["XX", "http://logo.example/xx-plain.svg"],
        ["YY", null],
        ["XX", "https://logo.example/xx-1.svg"],
        ["XX", "https://logo.example/xx-2.svg"],
        ["YY", " "],
      ],
    });
    expect(detail.transport).toEqual({
      flights: [
        { airline: { code: "XX", logoUrl: "https://logo.example/xx-1.svg" } },
        { airline: { code: "YY", logoUrl: null } },
      ],
    });
    expect(warnings).toEqual([
      "url_dropped transport.flights[0].airline.logoUrl = http://logo.example/xx-plain.svg",
    ]);
  });

  test.each([null, "", " "])("one with the code %j is dropped with a warning", (code) => {
    const { detail, warnings } = published({ flights: [[code, "https://logo.example/a.svg"]] });
    expect(detail.transport).toBeNull();
    expect(warnings).toEqual([`text_missing transport.flights[0].airline.code = ${code}`]);
  });
});
