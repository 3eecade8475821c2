// Reads answers of the API with the classes that quicktype made, and prints the names of the programs in them.
// Each line of the file that the argument names is a kind and a body with a tab between them.
import io.quicktype.Converter;
import java.nio.file.Files;
import java.nio.file.Path;

public class HoldAnswers {
  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      String[] parts = line.split("\t", 2);
      switch (parts[0]) {
        case "list" -> Converter.ProgramListResponseFromJsonString(parts[1]).getData()
            .forEach(program -> System.out.println(program.getName()));
        case "detail" -> System.out.println(Converter.ProgramDetailResponseFromJsonString(parts[1]).getData().getName());
        case "legacy" -> Converter.LegacyProgramsResponseFromJsonString(parts[1]).getPrograms()
            .forEach(program -> System.out.println(program.getName()));
        default -> System.out.println(Converter.ErrorResponseFromJsonString(parts[1]).getError().getCode().toValue());
      }
    }
  }
}
