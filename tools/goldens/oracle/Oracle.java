import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Asks HdrHistogram. Each line of input is a command and its arguments, separated by tabs; each is answered by one
 * line of JSON: `{"answer": ...}`, or `{"rejected": "class of the exception", "message": ...}`.
 *
 * <p>Histograms have names: the first argument of the commands that are about one names the one that is made, changed
 * or asked.
 */
public final class Oracle {
  private static final String DONE = "null";

  private final Map<String, Subject> subjects = new HashMap<>();

  public static void main(String[] arguments) throws IOException {
    Oracle oracle = new Oracle();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(oracle.reply(line.split("\t", -1)));
      out.flush();
    }
  }

  private String reply(String[] fields) {
    try {
      return Json.object("answer", answer(fields[0], Arrays.copyOfRange(fields, 1, fields.length)));
    } catch (RuntimeException | DataFormatException e) {
      return Json.object(
          "rejected", Json.text(e.getClass().getSimpleName()), "message", Json.text(String.valueOf(e.getMessage())));
    }
  }

  private String answer(String command, String[] a) throws DataFormatException {
    switch (command) {
      case "version":
        return Json.text(Histogram.class.getPackage().getImplementationVersion());
      case "java":
        return Dates.version();
      case "zones":
        return Dates.zones();
      case "date":
        return Dates.print(a[0], a[1]);
      case "writeLog":
        return Logs.write(a, this::subject);
      case "readLog":
        return Logs.read(a[0]);
      case "new":
        return keep(a[0], IntegerSubject.create(
            Long.parseLong(a[1]), Long.parseLong(a[2]), Integer.parseInt(a[3]), Boolean.parseBoolean(a[4])));
      case "newDouble":
        return keep(a[0], DoubleSubject.create(
            Long.parseLong(a[1]), Integer.parseInt(a[2]), Boolean.parseBoolean(a[3])));
      case "decode":
        return keep(a[0], IntegerSubject.decode(fromHex(a[1]), Integer.parseInt(a[2])));
      case "decompress":
        return keep(a[0], IntegerSubject.decompress(fromBase64(a[1]), Integer.parseInt(a[2])));
      case "decodeDouble":
        return keep(a[0], DoubleSubject.decode(fromHex(a[1])));
      case "decompressDouble":
        return keep(a[0], DoubleSubject.decompress(fromBase64(a[1])));
      case "copy":
        return keep(a[0], subject(a[1]).copy());
      case "copyCorrected":
        return keep(a[0], subject(a[1]).copyCorrected(a[2]));
      case "same":
        return String.valueOf(subject(a[0]).same(subject(a[1])));
      default:
        return answer(command, subject(a[0]), Arrays.copyOfRange(a, 1, a.length));
    }
  }

  private String answer(String command, Subject subject, String[] a) {
    switch (command) {
      case "record":
        return record(subject, a);
      case "add":
        subject.add(subject(a[0]));
        return DONE;
      case "subtract":
        subject.subtract(subject(a[0]));
        return DONE;
      case "addWhileCorrecting":
        subject.addWhileCorrecting(subject(a[0]), a[1]);
        return DONE;
      case "shiftLeft":
        subject.shiftLeft(Integer.parseInt(a[0]));
        return DONE;
      case "shiftRight":
        subject.shiftRight(Integer.parseInt(a[0]));
        return DONE;
      case "reset":
        subject.reset();
        return DONE;
      case "summary":
        return subject.summary();
      case "percentiles":
        return each(a, p -> Json.list(p, subject.valueAtPercentile(Double.parseDouble(p))));
      case "atValues":
        return each(a, subject::atValue);
      case "between":
        return subject.between(a[0], a[1]);
      case "equivalence":
        return each(a, subject::equivalence);
      case "iterate":
        return subject.iterate(a[0], Arrays.copyOfRange(a, 1, a.length));
      case "text":
        return subject.percentileText(
            Integer.parseInt(a[0]), Double.parseDouble(a[1]), Boolean.parseBoolean(a[2]));
      case "encode":
        return Json.text(toHex(subject.encode()));
      case "compress":
        return Json.text(toBase64(subject.compress()));
      default:
        throw new IllegalArgumentException("no command is called " + command);
    }
  }

  /** Each argument is `value*count@expectedInterval`, all three always there; an interval of 0 is none. */
  private static String record(Subject subject, String[] operations) {
    for (String operation : operations) {
      int star = operation.indexOf('*');
      int at = operation.indexOf('@');
      long count = Long.parseLong(operation.substring(star + 1, at));
      subject.record(operation.substring(0, star), count, operation.substring(at + 1));
    }
    return DONE;
  }

  private String keep(String name, Subject subject) {
    subjects.put(name, subject);
    return DONE;
  }

  private Subject subject(String name) {
    Subject subject = subjects.get(name);
    if (subject == null) throw new IllegalArgumentException("no histogram is called " + name);
    return subject;
  }

  private static String each(String[] arguments, Function<String, String> answer) {
    List<String> answers = new ArrayList<>();
    for (String argument : arguments) answers.add(answer.apply(argument));
    return Json.list(answers);
  }

  private static String toHex(ByteBuffer bytes) {
    StringBuilder hex = new StringBuilder();
    while (bytes.hasRemaining()) {
      byte b = bytes.get();
      hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
    }
    return hex.toString();
  }

  private static ByteBuffer fromHex(String hex) {
    ByteBuffer bytes = ByteBuffer.allocate(hex.length() / 2);
    for (int i = 0; i < hex.length(); i += 2) bytes.put((byte) Integer.parseInt(hex.substring(i, i + 2), 16));
    return bytes.flip();
  }

  private static String toBase64(ByteBuffer bytes) {
    byte[] exact = new byte[bytes.remaining()];
    bytes.get(exact);
    return Base64.getEncoder().encodeToString(exact);
  }

  private static ByteBuffer fromBase64(String base64) {
    return ByteBuffer.wrap(Base64.getDecoder().decode(base64));
  }
}
