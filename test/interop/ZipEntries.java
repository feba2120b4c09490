import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Prints the entries of a ZIP file as a reader of streams finds them: CRC, length, time and name. */
public class ZipEntries {
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    byte[] buffer = new byte[1 << 16];
    try (ZipInputStream zip = new ZipInputStream(new BufferedInputStream(new FileInputStream(arguments[0])))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        CRC32 crc = new CRC32();
        long length = 0;
        for (int read = zip.read(buffer); read != -1; read = zip.read(buffer)) {
          crc.update(buffer, 0, read);
          length += read;
        }
        long modified = entry.getLastModifiedTime().toMillis() / 1000;
        out.printf("%d %d %d %s%n", crc.getValue(), length, modified, entry.getName());
      }
    }
    out.flush();
  }
}
