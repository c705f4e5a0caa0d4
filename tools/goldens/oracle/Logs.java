import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TimeZone;
import java.util.function.Function;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

/** Writes and reads interval logs. */
final class Logs {
  private Logs() {}

  /**
   * @param a zone, base time, start time and comment; then for each interval a histogram, `=` and its tag or nothing, start
   *     and end; times in milliseconds
   */
  static String write(String[] a, Function<String, Subject> subjects) {
    TimeZone usual = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone(a[0]));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      HistogramLogWriter writer = new HistogramLogWriter(new PrintStream(bytes, false, StandardCharsets.UTF_8));
      writer.setBaseTime(Long.parseLong(a[1]));
      writer.outputComment(a[3]);
      writer.outputLogFormatVersion();
      writer.outputStartTime(Long.parseLong(a[2]));
      writer.outputBaseTime(Long.parseLong(a[1]));
      writer.outputLegend();
      for (int i = 4; i < a.length; i += 4) {
        EncodableHistogram histogram = subjects.apply(a[i]).histogram();
        histogram.setTag(a[i + 1].isEmpty() ? null : a[i + 1].substring(1));
        histogram.setStartTimeStamp(Long.parseLong(a[i + 2]));
        histogram.setEndTimeStamp(Long.parseLong(a[i + 3]));
        writer.outputIntervalHistogram(histogram);
      }
      writer.close();
    } finally {
      TimeZone.setDefault(usual);
    }
    return Json.text(bytes.toString(StandardCharsets.UTF_8));
  }

  /** @return of each interval `[kind, tag, start, end, total, maximum, p50, p99, p99.9]` */
  static String read(String base64) {
    List<String> intervals = new ArrayList<>();
    HistogramLogReader reader = new HistogramLogReader(new ByteArrayInputStream(Base64.getDecoder().decode(base64)));
    while (reader.hasNext()) {
      EncodableHistogram histogram = reader.nextIntervalHistogram();
      if (histogram != null) intervals.add(summary(histogram));
    }
    return Json.list(intervals);
  }

  private static String summary(EncodableHistogram histogram) {
    List<String> summary = new ArrayList<>();
    boolean doubles = histogram instanceof DoubleHistogram;
    summary.add(Json.text(doubles ? "doubles" : "integers"));
    summary.add(histogram.getTag() == null ? "null" : Json.text(histogram.getTag()));
    summary.add(Json.number(histogram.getStartTimeStamp()));
    summary.add(Json.number(histogram.getEndTimeStamp()));
    summary.add(Json.number(
        doubles ? ((DoubleHistogram) histogram).getTotalCount() : ((AbstractHistogram) histogram).getTotalCount()));
    summary.add(doubles
        ? Json.number(((DoubleHistogram) histogram).getMaxValue())
        : Json.number(((AbstractHistogram) histogram).getMaxValue()));
    for (double percentile : new double[] {50, 99, 99.9}) {
      summary.add(doubles
          ? Json.number(((DoubleHistogram) histogram).getValueAtPercentile(percentile))
          : Json.number(((AbstractHistogram) histogram).getValueAtPercentile(percentile)));
    }
    return Json.list(summary);
  }
}
