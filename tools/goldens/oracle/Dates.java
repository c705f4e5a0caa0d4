import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;

/** Prints time zones by the names that Java has for them, and dates as Java prints them. */
final class Dates {
  private static final long DAY_SECONDS = 86_400;
  private static final long YEAR_1960 = -315_619_200L;
  private static final long YEAR_2036 = 2_082_758_400L;

  private Dates() {}

  static String version() {
    return Json.text(System.getProperty("java.specification.version"));
  }

  /** `Date.toString` in a zone. */
  static String print(String zone, String timeMs) {
    TimeZone usual = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone(zone));
    try {
      return Json.text(new Date(Long.parseLong(timeMs)).toString());
    } finally {
      TimeZone.setDefault(usual);
    }
  }

  /** All zones: name, abbreviations in standard and in summer time, and what holds from which second on, 1960 to 2035. */
  static String zones() {
    List<String> zones = new ArrayList<>();
    for (String id : TimeZone.getAvailableIDs()) {
      TimeZone zone = TimeZone.getTimeZone(id);
      zones.add(Json.list(Json.text(id), name(zone, false), name(zone, true), Json.list(eras(zone))));
    }
    return Json.list(zones);
  }

  private static String name(TimeZone zone, boolean summer) {
    return Json.text(zone.getDisplayName(summer, TimeZone.SHORT, Locale.US));
  }

  /** Lists of second, offset in seconds, and whether it is summer time. */
  private static List<String> eras(TimeZone zone) {
    List<String> eras = new ArrayList<>();
    eras.add(era(zone, YEAR_1960));
    for (long second = YEAR_1960; second < YEAR_2036; second += DAY_SECONDS) {
      if (isAlike(zone, second, second + DAY_SECONDS)) continue;
      long before = second;
      long after = second + DAY_SECONDS;
      while (after - before > 1) {
        long middle = (before + after) / 2;
        if (isAlike(zone, second, middle)) before = middle;
        else after = middle;
      }
      eras.add(era(zone, after));
    }
    return eras;
  }

  private static boolean isAlike(TimeZone zone, long one, long other) {
    return zone.getOffset(one * 1000) == zone.getOffset(other * 1000) && isSummer(zone, one) == isSummer(zone, other);
  }

  private static boolean isSummer(TimeZone zone, long second) {
    return zone.inDaylightTime(new Date(second * 1000));
  }

  private static String era(TimeZone zone, long second) {
    return Json.list(
        Json.number(second),
        Json.number(zone.getOffset(second * 1000) / 1000),
        String.valueOf(isSummer(zone, second)));
  }
}
