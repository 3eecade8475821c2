import { InvalidArgumentError } from "commander";
import { Failure } from "../../core/failure.ts";

/** The parser as commander wants it: what is malformed becomes an error of usage that names the option. */
export function parsedOption<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof Failure) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}
