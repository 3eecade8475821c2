/**
 * How many columns of a terminal a text fills: two per wide East Asian character, none per combining mark or escape code.
 */
export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const character of text.replace(escapeCodes, "")) {
    if (/\p{Mark}|\p{Format}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const printableAscii = /^[ -~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
const escapeCodes = /\u001b\[[0-9;]*m/g;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
