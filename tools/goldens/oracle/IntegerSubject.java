import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.IntCountsHistogram;
import org.HdrHistogram.ShortCountsHistogram;

/** HdrHistogram's `Histogram`, or one that keeps its counts in fewer bytes. */
final class IntegerSubject implements Subject {
  private final AbstractHistogram histogram;

  private IntegerSubject(AbstractHistogram histogram) {
    this.histogram = histogram;
  }

  static IntegerSubject create(long lowest, long highest, int digits, boolean autoResize) {
    Histogram histogram = new Histogram(lowest, highest, digits);
    histogram.setAutoResize(autoResize);
    return new IntegerSubject(histogram);
  }

  /** @param countBytes 8, or 4 or 2 for the narrow encodings of version 0, which need a histogram of the same width */
  static IntegerSubject decode(ByteBuffer bytes, int countBytes) {
    switch (countBytes) {
      case 2:
        return new IntegerSubject(ShortCountsHistogram.decodeFromByteBuffer(bytes, 0));
      case 4:
        return new IntegerSubject(IntCountsHistogram.decodeFromByteBuffer(bytes, 0));
      default:
        return new IntegerSubject(Histogram.decodeFromByteBuffer(bytes, 0));
    }
  }

  static IntegerSubject decompress(ByteBuffer bytes, int countBytes) throws DataFormatException {
    switch (countBytes) {
      case 2:
        return new IntegerSubject(ShortCountsHistogram.decodeFromCompressedByteBuffer(bytes, 0));
      case 4:
        return new IntegerSubject(IntCountsHistogram.decodeFromCompressedByteBuffer(bytes, 0));
      default:
        return new IntegerSubject(Histogram.decodeFromCompressedByteBuffer(bytes, 0));
    }
  }

  @Override
  public void record(String value, long count, String expectedInterval) {
    long v = Long.parseLong(value);
    long interval = Long.parseLong(expectedInterval);
    if (interval == 0) {
      histogram.recordValueWithCount(v, count);
      return;
    }
    for (long i = 0; i < count; i++) histogram.recordValueWithExpectedInterval(v, interval);
  }

  @Override
  public void add(Subject other) {
    histogram.add(of(other));
  }

  @Override
  public void subtract(Subject other) {
    histogram.subtract(of(other));
  }

  @Override
  public void addWhileCorrecting(Subject other, String expectedInterval) {
    histogram.addWhileCorrectingForCoordinatedOmission(of(other), Long.parseLong(expectedInterval));
  }

  @Override
  public void shiftLeft(int binaryOrders) {
    histogram.shiftValuesLeft(binaryOrders);
  }

  @Override
  public void shiftRight(int binaryOrders) {
    histogram.shiftValuesRight(binaryOrders);
  }

  @Override
  public void reset() {
    histogram.reset();
  }

  @Override
  public Subject copy() {
    return new IntegerSubject(histogram.copy());
  }

  @Override
  public Subject copyCorrected(String expectedInterval) {
    return new IntegerSubject(histogram.copyCorrectedForCoordinatedOmission(Long.parseLong(expectedInterval)));
  }

  @Override
  public boolean same(Subject other) {
    return histogram.equals(of(other)) && of(other).equals(histogram);
  }

  @Override
  public String summary() {
    return Json.object(
        "totalCount", Json.number(histogram.getTotalCount()),
        "min", Json.number(histogram.getMinValue()),
        "max", Json.number(histogram.getMaxValue()),
        "minNonZero", Json.number(histogram.getMinNonZeroValue()),
        "mean", Json.number(histogram.getMean()),
        "standardDeviation", Json.number(histogram.getStdDeviation()),
        "lowestDiscernibleValue", Json.number(histogram.getLowestDiscernibleValue()),
        "highestTrackableValue", Json.number(histogram.getHighestTrackableValue()),
        "significantDigits", Json.number(histogram.getNumberOfSignificantValueDigits()),
        "countsArrayLength", Json.number(hidden("countsArrayLength")),
        "bucketCount", Json.number(hidden("bucketCount")),
        "subBucketCount", Json.number(hidden("subBucketCount")));
  }

  @Override
  public String valueAtPercentile(double percentile) {
    return Json.number(histogram.getValueAtPercentile(percentile));
  }

  @Override
  public String atValue(String value) {
    long v = Long.parseLong(value);
    return Json.list(
        Json.number(v),
        Json.number(histogram.getCountAtValue(v)),
        Json.number(histogram.getPercentileAtOrBelowValue(v)));
  }

  @Override
  public String between(String from, String to) {
    long low = Long.parseLong(from);
    long high = Long.parseLong(to);
    return Json.list(
        Json.number(low), Json.number(high), Json.number(histogram.getCountBetweenValues(low, high)));
  }

  @Override
  public String equivalence(String value) {
    long v = Long.parseLong(value);
    return Json.list(
        Json.number(v),
        Json.number(slotOf(v)),
        Json.number(histogram.sizeOfEquivalentValueRange(v)),
        Json.number(histogram.lowestEquivalentValue(v)),
        Json.number(histogram.highestEquivalentValue(v)),
        Json.number(histogram.medianEquivalentValue(v)),
        Json.number(histogram.nextNonEquivalentValue(v)));
  }

  @Override
  public String iterate(String kind, String[] arguments) {
    return Subject.rows(steps(kind, arguments), IntegerSubject::row);
  }

  private Iterable<HistogramIterationValue> steps(String kind, String[] arguments) {
    switch (kind) {
      case "recorded":
        return histogram.recordedValues();
      case "all":
        return histogram.allValues();
      case "percentiles":
        return histogram.percentiles(Integer.parseInt(arguments[0]));
      case "linear":
        return histogram.linearBucketValues(Long.parseLong(arguments[0]));
      case "logarithmic":
        return histogram.logarithmicBucketValues(
            Long.parseLong(arguments[0]), Double.parseDouble(arguments[1]));
      default:
        throw new IllegalArgumentException("no iterator is called " + kind);
    }
  }

  private static String row(HistogramIterationValue step) {
    return Json.list(
        Json.number(step.getValueIteratedTo()),
        Json.number(step.getValueIteratedFrom()),
        Json.number(step.getCountAtValueIteratedTo()),
        Json.number(step.getCountAddedInThisIterationStep()),
        Json.number(step.getTotalCountToThisValue()),
        Json.number(step.getTotalValueToThisValue()),
        Json.number(step.getPercentile()),
        Json.number(step.getPercentileLevelIteratedTo()));
  }

  @Override
  public String percentileText(int ticksPerHalfDistance, double scalingRatio, boolean csv) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    histogram.outputPercentileDistribution(new PrintStream(text), ticksPerHalfDistance, scalingRatio, csv);
    return Json.text(text.toString());
  }

  @Override
  public EncodableHistogram histogram() {
    return histogram;
  }

  @Override
  public ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    histogram.encodeIntoByteBuffer(bytes);
    return bytes.flip();
  }

  @Override
  public ByteBuffer compress() {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    histogram.encodeIntoCompressedByteBuffer(bytes);
    return bytes.flip();
  }

  private static AbstractHistogram of(Subject subject) {
    return ((IntegerSubject) subject).histogram;
  }

  // The shape and the slot of a value are not public. They are the likeliest errors of another implementation.

  private long hidden(String name) {
    try {
      Field field = AbstractHistogram.class.getSuperclass().getDeclaredField(name);
      field.setAccessible(true);
      return field.getInt(histogram);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private long slotOf(long value) {
    try {
      Method method = AbstractHistogram.class.getDeclaredMethod("countsArrayIndex", long.class);
      method.setAccessible(true);
      return (int) method.invoke(histogram, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
