import { describe, expect, test } from "vitest";
import { garbledWord } from "../../../cli/publish/public-program/double-encoding.ts";

/** The text as it looks when its UTF-8 is read as Windows-1252. */
function doubled(text: string): string {
  return new TextDecoder("windows-1252").decode(new TextEncoder().encode(text));
}

describe("a text that was encoded twice", () => {
  test.each(["Für", "Zürich–Genève", "Ærø", "שלום", "l’été", "25€"])("shows %s behind it", (meant) => {
    const stored = doubled(meant);
    expect(stored).not.toBe(meant);
    expect(garbledWord(`From here ${stored}, and on`)).toEqual({ stored: `${stored},`, meant: `${meant},` });
  });

  test.each([
    "Für Zürich und São Paulo",
    "ÂGE D’OR",
    "CAFÉ–BAR",
    "שלום",
    "25 €",
    "Å, Ä and Ö",
    "東京",
    "plain",
    "",
  ])("is not seen in %s", (text) => {
    expect(garbledWord(text)).toBeUndefined();
  });
});
