import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.tool.DataFileReadTool;
import org.apache.avro.tool.DataFileWriteTool;
import org.apache.avro.tool.RecodecTool;
import org.apache.avro.tool.Tool;

/**
 * Runs many of avro-tools' commands in one Java, which takes a second to start. Each line of the file that is named has, between tabs, where
 * the output goes, and the command with its arguments.
 */
public class AvroTools {
  private static final Map<String, Tool> TOOLS = Map.of(
      "tojson", new DataFileReadTool(),
      "fromjson", new DataFileWriteTool(),
      "recodec", new RecodecTool());

  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      List<String> words = Arrays.asList(line.split("\t"));
      try (PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(words.get(0))))) {
        int code = TOOLS.get(words.get(1)).run(System.in, out, System.err, words.subList(2, words.size()));
        if (code != 0) throw new Exception(line + " ended with " + code);
      }
    }
  }
}
