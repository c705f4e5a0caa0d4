import java.util.List;
import java.util.StringJoiner;

/** Just enough JSON to answer with. A value is already JSON text when it gets here as an argument of `list` or `object`. */
final class Json {
  private static final long LARGEST_SAFE_INTEGER = (1L << 53) - 1;

  private Json() {}

  /** An integer that a double cannot hold exactly travels as a string of decimal digits. */
  static String number(long value) {
    boolean safe = value >= -LARGEST_SAFE_INTEGER && value <= LARGEST_SAFE_INTEGER;
    return safe ? Long.toString(value) : "\"" + value + "\"";
  }

  /** Java prints as many digits as it takes to read the same double back. */
  static String number(double value) {
    boolean finite = !Double.isNaN(value) && !Double.isInfinite(value);
    return finite ? Double.toString(value) : "\"" + value + "\"";
  }

  static String text(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : value.toCharArray()) {
      if (c == '"' || c == '\\') quoted.append('\\').append(c);
      else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
      else quoted.append(c);
    }
    return quoted.append('"').toString();
  }

  static String list(String... items) {
    return list(List.of(items));
  }

  static String list(List<String> items) {
    return "[" + String.join(",", items) + "]";
  }

  static String object(String... keysAndValues) {
    StringJoiner members = new StringJoiner(",", "{", "}");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      members.add(text(keysAndValues[i]) + ":" + keysAndValues[i + 1]);
    }
    return members.toString();
  }
}
