import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.EncodableHistogram;

/**
 * A histogram that questions are asked about. Values come as text, because each kind reads its own numbers;
 * answers are JSON text.
 */
interface Subject {
  /** @param expectedInterval "0" for none */
  void record(String value, long count, String expectedInterval);

  void add(Subject other);

  void subtract(Subject other);

  void addWhileCorrecting(Subject other, String expectedInterval);

  void shiftLeft(int binaryOrders);

  void shiftRight(int binaryOrders);

  void reset();

  Subject copy();

  Subject copyCorrected(String expectedInterval);

  boolean same(Subject other);

  String summary();

  String valueAtPercentile(double percentile);

  /** `[value, countAtValue, percentileAtOrBelow]` */
  String atValue(String value);

  /** `[from, to, count]` */
  String between(String from, String to);

  /** `[value, slot, size, lowest, highest, median, next]`; a slot only where values are integers. */
  String equivalence(String value);

  /** @param kind recorded, all, percentiles, linear or logarithmic */
  String iterate(String kind, String[] arguments);

  String percentileText(int ticksPerHalfDistance, double scalingRatio, boolean csv);

  ByteBuffer encode();

  ByteBuffer compress();

  EncodableHistogram histogram();

  static <T> String rows(Iterable<T> steps, Function<T, String> row) {
    List<String> rows = new ArrayList<>();
    for (T step : steps) rows.add(row.apply(step));
    return Json.list(rows);
  }
}
