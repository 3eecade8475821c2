import { describe, expect, test } from "vitest";
import { parseBaseUrl, parseCompanyName, parseContact } from "../../../cli/partners/folder/company.ts";

describe("the base address of partners", () => {
  test.each([
    ["https://programs.example.com", "https://programs.example.com"],
    ["HTTPS://Programs.Example.com/", "https://programs.example.com"],
    ["https://example.com:8443/partners/", "https://example.com:8443/partners"],
    ["https://tours.münchen.example", "https://tours.xn--mnchen-3ya.example"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://localhost:8080/", "http://localhost:8080"],
    ["http://[::1]:8080", "http://[::1]:8080"],
  ])("%s is taken as %s", (text, expected) => expect(parseBaseUrl(text)).toBe(expected));

  test.each([
    ["http://programs.example.com", /https:\/\//],
    ["http://127.0.0.1.example.com", /https:\/\//],
    ["ftp://example.com", /https:\/\//],
    ["https://example.com/?tenant=1", /without \?/],
    ["https://example.com/?", /without \?/],
    ["https://example.com/#top", /without \?/],
    ["https://user:secret@example.com", /without user name/],
    ["https://example.com/{tenant}", /plain path/],
    ["https://example.com/a//b", /plain path/],
    ["https://example.com/a%2Fb", /plain path/],
    ["https:example.com", /address like/],
    ["https://exa mple.com", /address like/],
    ["programs.example.com", /address like/],
    ["", /address like/],
  ])("%j is refused", (text, message) => expect(() => parseBaseUrl(text)).toThrow(message));

  test("a refusal does not repeat a password", () => {
    expect(() => parseBaseUrl("https://user:canary@example.com")).not.toThrow(/canary/);
  });
});

describe("whom partners ask", () => {
  test("an e-mail address is linked as one, whatever is in it", () => {
    const contact = parseContact("api+partners?&#@example.com");
    expect(contact).toEqual({
      kind: "email",
      text: "api+partners?&#@example.com",
      href: "mailto:api+partners%3F%26%23@example.com",
    });
  });

  test("a page is linked by its address", () => {
    expect(parseContact("https://example.com/help")).toMatchObject({
      kind: "url",
      href: "https://example.com/help",
    });
  });

  test.each([
    "",
    "api",
    "api@",
    "@example.com",
    "api@example",
    "a b@example.com",
    "http://example.com",
    "javascript:alert(1)",
  ])("%j is refused", (text) => expect(() => parseContact(text)).toThrow(/e-mail address or the https/));
});

describe("the company's name", () => {
  test("is taken in any script, without the spaces around it", () => {
    expect(parseCompanyName("  رحلات الزيتونة ")).toBe("رحلات الزيتونة");
  });

  test.each(["", "  ", "two\nlines", "bell\u0007", "x".repeat(101)])("%j is refused", (text) => {
    expect(() => parseCompanyName(text)).toThrow(/company's name/);
  });
});
